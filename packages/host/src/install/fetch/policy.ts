import { PatchbayError } from 'patchbay-sdk';
import { foldedName, type NameLimits, segmentsOf, shownName } from './names.ts';

/** How much a package may be. */
export interface Limits extends NameLimits {
  /** Bytes of all files, unpacked. */
  readonly bytes: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Files and folders. */
  readonly entries: number;
}

/** The limits of every package. Options may lower them. */
export const defaultLimits: Limits = {
  bytes: 100 * 1024 * 1024,
  fileBytes: 25 * 1024 * 1024,
  entries: 20_000,
  pathBytes: 400,
  depth: 32,
};

/** What has been admitted so far. */
interface Used {
  entries: number;
  bytes: number;
}

interface Node {
  readonly path: string;
  readonly folder: boolean;
}

/**
 * What a package may contain, the same for every kind of source. Each entry is asked for before anything of it is read or
 * written; the first that is refused ends the staging.
 */
export class Policy {
  readonly limits: Limits;
  /** Files admitted so far. */
  files = 0;
  readonly #label: string;
  readonly #nodes = new Map<string, Node>();
  readonly #used: Used;

  /** `label` names the source in errors. */
  constructor(label: string, limits: Partial<Limits> = {}, used: Used = { entries: 0, bytes: 0 }) {
    this.#label = label;
    this.limits = { ...defaultLimits, ...limits };
    this.#used = used;
  }

  /** A policy for a package that becomes a part of this one: its names are its own, what it holds counts for both. */
  within(label: string): Policy {
    return new Policy(label, this.limits, this.#used);
  }

  /** Throws PACKAGE_UNSAFE if so many entries are too many: before any of them is written. */
  announced(entries: number): void {
    if (this.#used.entries + entries > this.limits.entries) throw this.refusal(this.#tooMany());
  }

  /** Admits a folder, and gives its relative path: empty for the root. Throws PACKAGE_UNSAFE. */
  folder(name: string): string {
    const segments = this.#segments(name.endsWith('/') ? name.slice(0, -1) : name);
    this.#count(name);
    this.#place(name, segments, true);
    return segments.join('/');
  }

  /** Admits a file of this size, and gives its relative path. Throws PACKAGE_UNSAFE. */
  file(name: string, size: number): string {
    const segments = this.#segments(name);
    if (segments.length === 0) throw this.refusal('it is a file without a name', name);
    this.#count(name);
    const { fileBytes, bytes } = this.limits;
    if (!(size <= fileBytes)) throw this.refusal(`it is larger than ${fileBytes} bytes`, name);
    this.#used.bytes += size;
    if (this.#used.bytes > bytes) throw this.refusal(`with it, the package is larger than ${bytes} bytes`, name);
    this.#place(name, segments, false);
    this.files += 1;
    return segments.join('/');
  }

  /** The error for something refused. */
  refusal(why: string, entry?: string): PatchbayError {
    const what = entry === undefined ? why : `entry ${shownName(entry)} is refused: ${why}`;
    return new PatchbayError('PACKAGE_UNSAFE', `${this.#label}: ${what}`, { file: this.#label });
  }

  /** The error for something that is no package, or no longer a whole one. */
  invalid(why: string, cause?: unknown): PatchbayError {
    return new PatchbayError('SOURCE_INVALID', `${this.#label}: ${why}`, { file: this.#label, cause });
  }

  #segments(name: string): readonly string[] {
    const segments = segmentsOf(name, this.limits);
    if (typeof segments === 'string') throw this.refusal(segments, name);
    return segments;
  }

  #count(name: string): void {
    this.#used.entries += 1;
    if (this.#used.entries > this.limits.entries) throw this.refusal(this.#tooMany(), name);
  }

  #tooMany(): string {
    return `the package has more than ${this.limits.entries} entries`;
  }

  /** Every folder on the way counts and can collide, whether the archive lists it or not. */
  #place(name: string, segments: readonly string[], folder: boolean): void {
    let path = '';
    for (const [i, segment] of segments.entries()) {
      const last = i === segments.length - 1;
      path = path === '' ? segment : `${path}/${segment}`;
      const key = foldedName(path);
      const known = this.#nodes.get(key);
      if (known === undefined) {
        if (!last) this.#count(name);
        this.#nodes.set(key, { path, folder: folder || !last });
      } else if (known.path !== path) {
        throw this.refusal(`on some systems it is the same as ${shownName(known.path)}`, name);
      } else if (!known.folder && !last) {
        throw this.refusal(`${shownName(path)} is a file, and cannot hold it`, name);
      } else if (last && !(known.folder && folder)) {
        throw this.refusal('there are two of this name', name);
      }
    }
  }
}
