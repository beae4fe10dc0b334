/** The part of npm's tree builder that is used here; it comes without types. */
declare module '@npmcli/arborist' {
  /** A package at a place of the tree. */
  export interface Node {
    /** Its folder, relative to the root: `node_modules/a/node_modules/b`; empty for the root. */
    readonly location: string;
    /** Of its folder: another than that of the package where it is an alias. */
    readonly name: string;
    readonly packageName: string | null;
    readonly version: string;
    readonly integrity: string | null;
    readonly isLink: boolean;
    /** Whether all who depend on it ask for a package of the registry. */
    readonly isRegistryDependency: boolean;
    /** Whether it comes in the tarball of another. */
    readonly inDepBundle: boolean;
    /** Whether it is optional, and cannot be had or does not run here. */
    readonly inert: boolean;
    readonly extraneous: boolean;
    readonly errors: readonly Error[];
  }

  export default class Arborist {
    constructor(options: Readonly<Record<string, unknown>>);
    /** Set while it is built. */
    readonly idealTree: { readonly inventory: ReadonlyMap<string, Node> } | null;
    buildIdealTree(): Promise<{ readonly inventory: ReadonlyMap<string, Node> }>;
  }
}
