import { existsSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CoreModule, calls, type FromCore, type ToCore, type TurnFacts, words } from './wire.ts';

const endings = ['', '.js', '.mjs', '.ts', '.mts', '/index.js', '/index.mjs', '/index.ts'];
const mostSummary = 200;

/** Runs the class of a core on one turn, in its own process: what comes in are lines of the host, `tell` gives it others. */
export class CoreRunner {
  readonly #tell: (message: FromCore) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #over = new AbortController();
  #count = 0;

  constructor(tell: (message: FromCore) => void) {
    this.#tell = tell;
  }

  /** Heeds the host. Resolves when that is done: for the beginning, when the turn is. Never rejects. */
  async heed(message: ToCore): Promise<void> {
    if ('begin' in message) await this.#run(message.begin, message.turn);
    else if ('abort' in message) this.#over.abort();
    else if ('answer' in message) this.#taken(message.answer)?.resolve(message.value);
    else this.#taken(message.failed)?.reject(new Error(message.why));
  }

  async #run(where: CoreModule, turn: TurnFacts): Promise<void> {
    try {
      const core = await coreOf(where);
      leave(turn, await core.run(this.#workOn(turn)));
      this.#tell({ done: true });
    } catch (error) {
      this.#tell({ threw: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }

  #workOn(turn: TurnFacts) {
    const asking = calls.map((what) => [what, (...args: unknown[]) => this.#call(what, args)]);
    const saying = words.map((say) => [say, (...args: unknown[]) => this.#tell({ say, args })]);
    return { ...turn, signal: this.#over.signal, ...Object.fromEntries([...asking, ...saying]) };
  }

  #call(what: (typeof calls)[number], args: readonly unknown[]): Promise<unknown> {
    const call = ++this.#count;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(call, waiting);
    this.#tell({ call, what, args });
    return waiting.promise;
  }

  #taken(id: number): PromiseWithResolvers<unknown> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

interface Core {
  run(turn: unknown): unknown;
}

/** An instance of the class of a core. Throws an error that says what is missing. */
async function coreOf({ module, className, sources, packages }: CoreModule): Promise<Core> {
  lendPackages(packages);
  const file = fileIn(sources, module);
  const loaded: Record<string, unknown> = await import(file === undefined ? module : pathToFileURL(file).href);
  const found = loaded[className ?? 'default'];
  if (typeof found !== 'function') {
    throw new Error(
      `${module} exports no class "${className ?? 'default'}", but ${Object.keys(loaded).join(', ') || 'nothing'}`,
    );
  }
  const core = new (found as new () => Core)();
  if (typeof core.run !== 'function') throw new Error(`${className ?? 'the class'} of ${module} has no method "run"`);
  return core;
}

function fileIn(sources: readonly string[], module: string): string | undefined {
  const source = sources.find((folder) => existsSync(folder));
  if (source === undefined) return undefined;
  const ways = extname(module) === '' ? endings.slice(1) : endings;
  return ways.map((ending) => resolve(source, `${module}${ending}`)).find((file) => existsSync(file));
}

/** Lets files of a core import its packages wherever they are: these are not beside them. */
function lendPackages(packages: string): void {
  const parentURL = pathToFileURL(join(packages, 'package.json')).href;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (/^[./]|^[a-z]+:/.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
}

/** Leaves what a core gave as its result; nothing if it gave nothing: it may have written it itself. */
function leave({ result_file }: TurnFacts, given: unknown): void {
  const result = resultOf(given);
  if (result !== undefined) writeFileSync(result_file, JSON.stringify(result));
}

function resultOf(given: unknown): unknown {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return resultOf({ text: given });
  if (typeof given !== 'object') throw new Error(`a core gives a text or a result, not ${typeof given}`);
  const { text } = given as { text?: unknown };
  if (typeof text !== 'string') return given;
  const [first = ''] = text.trim().split('\n');
  return { summary: first.length > mostSummary ? `${first.slice(0, mostSummary)}…` : first, report: { text } };
}
