const testFolder = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata|__mocks__|e2e|bench|benchmarks?)\//i;
const testFile = /(?:\.(?:test|spec)\.[cm]?[jt]sx?|_test\.(?:go|py|rb)|(?:^|\/)(?:test_[^/]*|conftest)\.py)$/;

/** Whether a file belongs to the tests or measurements, to go by its path. */
export function isTest(path: string): boolean {
  return testFolder.test(path) || testFile.test(path);
}

/** Whether a file is prose. */
export function isProse(path: string): boolean {
  return /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:README|PKG-INFO)$/i.test(path);
}

/** The folder of a path, without `/` at its end; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** A path in a folder, which may be empty. */
export function within(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** A folder and those around it, innermost first, up to and with the top. */
export function around(folder: string): string[] {
  return folder === '' ? [''] : [folder, ...around(folderOf(folder))];
}
