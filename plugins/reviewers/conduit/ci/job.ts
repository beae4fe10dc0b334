import type { YamlFile } from '../../workspace/yaml-file.ts';

/** What runs in CI, whoever's CI it is. */
export interface Pipeline {
  readonly file: Pick<YamlFile, 'path' | 'value' | 'problem' | 'lineAt'>;
  readonly kind: 'workflow' | 'action' | 'gitlab' | 'other';
  readonly triggers: ReadonlySet<string>;
  readonly jobs: readonly Job[];
}

/** A job. */
export interface Job {
  readonly name: string;
  readonly line: number;
  /** A workflow of elsewhere that is the whole job. */
  readonly uses: string | null;
  readonly images: readonly Image[];
  /** How its failure is let pass or how it never runs; null if neither. */
  readonly toothless: string | null;
  readonly hasTimeout: boolean;
  readonly steps: readonly Step[];
}

/** An image that a job runs in. */
export interface Image {
  readonly image: string;
  readonly line: number;
}

/** A step of a job. */
export interface Step {
  readonly line: number;
  /** Where what is run begins. */
  readonly scriptLine: number;
  /** What is run; empty if an action is used. */
  readonly run: string;
  readonly uses: string | null;
  readonly with: Readonly<Record<string, unknown>>;
  /** How its failure is let pass or how it never runs; null if neither. */
  readonly toothless: string | null;
  /** Where it runs, relative to the workspace; null if that cannot be told. */
  readonly folder: string | null;
  /** Whether a failure inside a pipe counts. */
  readonly pipefail: boolean;
}
