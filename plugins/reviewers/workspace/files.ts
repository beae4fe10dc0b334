import { execFile } from 'node:child_process';
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A file of the workspace that can be read as text. */
export interface TextFile {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly text: string;
}

const largest = 1024 * 1024;
const mostFiles = 50_000;
/** Not the work of whoever is reviewed, even where it is committed. */
const foreign = /(?:^|\/)(?:\.git|node_modules|vendor|\.venv|venv|site-packages|\.patchbay|\.agentxchain)(?:\/|$)/;
/** What a folder without git most likely does not keep. */
const generated =
  /(?:^|\/)(?:dist|build|out|target|coverage|__pycache__|\.next|\.tox|\.mypy_cache|\.pytest_cache|\.cache)(?:\/|$)/;

/** The files of a workspace, read one at a time. */
export class Workspace {
  readonly dir: string;
  /** Sorted; without links, without what git ignores. */
  readonly paths: readonly string[];
  readonly changed: ReadonlySet<string>;
  readonly #deadline: number;
  readonly #large: string[] = [];
  #binary = 0;
  #unread = 0;

  private constructor(dir: string, paths: readonly string[], changed: ReadonlySet<string>, deadline: number) {
    this.dir = dir;
    this.paths = paths;
    this.changed = changed;
    this.#deadline = deadline;
  }

  /** Lists a workspace. Rejects if the folder cannot be read. */
  static async open(dir: string, base: readonly string[], deadline: number): Promise<Workspace> {
    const root = realpathSync(dir);
    const changed = new Set(base.map((path) => normalize(path).split(sep).join('/')));
    const listed = (await tracked(root)) ?? walked(root);
    const paths = new Set([...listed, ...changed].filter((path) => !foreign.test(path) && isFileIn(root, path)));
    return new Workspace(root, [...paths].sort().slice(0, mostFiles), changed, deadline);
  }

  /** The text of a file; null if it is not there, a link, binary or larger than 1 MB. */
  text(path: string): string | null {
    if (!this.has(path)) return null;
    const file = join(this.dir, path);
    if (lstatSync(file).size > largest) {
      if (!this.#large.includes(path)) this.#large.push(path);
      return null;
    }
    const bytes = readFileSync(file);
    if (bytes.subarray(0, 8000).includes(0)) return null;
    return bytes.toString('utf8');
  }

  /** Whether there is such a file. */
  has(path: string): boolean {
    return isFileIn(this.dir, path);
  }

  /** Every text file whose path is wanted, as long as there is time. Others get their turn between files. */
  async *texts(wanted: (path: string) => boolean = () => true): AsyncGenerator<TextFile> {
    for (const path of this.paths.filter(wanted)) {
      if (performance.now() > this.#deadline) {
        this.#unread++;
        continue;
      }
      const text = this.text(path);
      if (text !== null) yield { path, text };
      else if (!this.#large.includes(path)) this.#binary++;
      await setImmediate();
    }
  }

  /** What was not looked at. */
  notes(): string[] {
    const notes = this.#large.map((path) => `${path} is larger than 1 MB and was not looked at`);
    if (this.#binary > 0) notes.push(`binary files not looked at: ${this.#binary}`);
    return notes;
  }

  /** Why not everything was looked at; null if there was time enough. */
  cut(): string | null {
    return this.#unread === 0 ? null : `the time was up; files not looked at: ${this.#unread}`;
  }
}

/** What git would commit; null if this is not the root of a repository. Nothing that the repository configures is run. */
async function tracked(dir: string): Promise<string[] | null> {
  try {
    lstatSync(join(dir, '.git'));
    const args = ['-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = await promisify(execFile)('git', args, { cwd: dir, timeout: 20_000, maxBuffer: 64 << 20 });
    return stdout.split('\0').filter((path) => path !== '');
  } catch {
    return null;
  }
}

function walked(dir: string): string[] {
  const paths: string[] = [];
  const enter = (within: string) => {
    for (const entry of entriesOf(join(dir, within))) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (paths.length >= mostFiles || foreign.test(path) || generated.test(path)) continue;
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile()) paths.push(path);
    }
  };
  enter('');
  return paths;
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return []; // Somebody may be at work in the folder.
  }
}

/** A changed path comes from an agent: neither it nor a link on its way may lead out of the workspace. */
function isFileIn(root: string, path: string): boolean {
  try {
    const file = join(root, path);
    return lstatSync(file).isFile() && realpathSync(file) === file && file.startsWith(root + sep);
  } catch {
    return false;
  }
}
