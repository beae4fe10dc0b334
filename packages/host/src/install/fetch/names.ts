/** What the name of an entry may be at most. */
export interface NameLimits {
  /** Bytes of a relative path. */
  readonly pathBytes: number;
  /** Segments of a relative path. */
  readonly depth: number;
}

const segmentBytes = 255; // What common file systems hold.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u;
const device = /^(?:con|prn|aux|nul|com[0-9\xb9\xb2\xb3]|lpt[0-9\xb9\xb2\xb3]|conin\$|conout\$) *(?:\.|$)/i;

/**
 * The segments of the name of an entry, or a sentence saying why it is refused. A leading `./`, as `tar -C dir .` writes
 * it, means nothing; the root itself has no segments. Anything else is taken as it is or refused, never repaired.
 */
export function segmentsOf(name: string, limits: NameLimits): readonly string[] | string {
  const path = name === '.' ? '' : name.replace(/^\.\//, '');
  if (name.includes('\\')) return 'its name has a backslash';
  if (name.startsWith('/')) return 'its path is absolute';
  if (/^[A-Za-z]:/.test(path)) return 'its path names a drive';
  // Invisible characters hide what a name is; U+FFFD stands for bytes that are no UTF-8.
  if (unseen.test(name)) return 'its name has a control character or one that cannot be shown';
  if (path === '') return [];
  if (Buffer.byteLength(path) > limits.pathBytes) return `its path is longer than ${limits.pathBytes} bytes`;
  const segments = path.split('/');
  if (segments.length > limits.depth) return `it is deeper than ${limits.depth} folders`;
  for (const segment of segments) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  return segments;
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '..') return 'it leads out of the package';
  if (segment === '' || segment === '.') return 'its path has an empty part';
  if (Buffer.byteLength(segment) > segmentBytes) return `a part of its name is longer than ${segmentBytes} bytes`;
  // A package that one system can hold and another not would pass here and fail, or mean something else, there.
  if (device.test(segment)) return `"${segment}" is reserved on Windows`;
  if (/[<>:"|?*]/.test(segment)) return 'its name has a character that Windows reserves';
  if (/[. ]$/.test(segment)) return 'its name ends with a dot or a space, which Windows drops';
  return undefined;
}

/** Equal for two names that some file system takes for the same one: by case, or by how an accent is written. */
export function foldedName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

/** A name as it can be printed: quoted, short, nothing invisible. */
export function shownName(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return JSON.stringify(short).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
