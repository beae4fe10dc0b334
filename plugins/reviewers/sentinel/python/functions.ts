import type { Masked } from '../../workspace/mask.ts';

/** A function of a Python file, by its place in the text. */
export interface PythonFunction {
  readonly start: number;
  readonly end: number;
  /** Parameters that whoever sends a request fills in with text. */
  readonly fromRequests: ReadonlySet<string>;
}

const definition =
  /^([ \t]*)((?:@[^\n]*\n[ \t]*){0,10})(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(((?:[^()]|\([^()]*\)){0,3000})\)[^\n]*\n/gm;
const route = /@[\w.]+\.(?:get|post|put|patch|delete|route|api_route|websocket)\(\s*([^\n]*)/;
/** How paths of routes name a parameter, those that are no numbers: `<path:name>`, `{name:path}`. */
const inPath = /<(?:(?!int|float|uuid)\w+:)?(\w+)>|\{(\w+)(?::path)?\}/g;

/** The functions of a file, outer ones before those in them. */
export function functionsIn({ code, bare }: Masked): PythonFunction[] {
  return [...code.matchAll(definition)].map((match) => {
    const [whole, indent = '', decorators = '', parameters = ''] = match;
    const body = match.index + whole.length;
    return { start: match.index, end: endOf(bare, body, indent.length), fromRequests: sent(decorators, parameters) };
  });
}

/** Where the lines end that are indented deeper. */
function endOf(bare: string, start: number, indent: number): number {
  const deeper = new RegExp(`(?:[ \\t]{${indent + 1},}[^\\n]*(?:\\n|$)|[ \\t]*\\n)*`, 'y');
  deeper.lastIndex = start;
  deeper.exec(bare);
  return deeper.lastIndex;
}

/** The parameters of a route that are text: those of its path, and those that say so. */
function sent(decorators: string, parameters: string): Set<string> {
  const path = route.exec(decorators)?.[1];
  if (path === undefined) return new Set();
  const named = new Set([...path.matchAll(inPath)].map(([, flask, fastapi]) => flask ?? fastapi ?? ''));
  const texts = parameters.split(',').flatMap((parameter) => {
    const [, name = '', type] = /^\s*(\w+)\s*(?::\s*([^=]+?)\s*)?(?:=|$)/.exec(parameter) ?? [];
    const isText = type === undefined ? named.has(name) : /^(?:Optional\[|Annotated\[)?str\b/.test(type);
    return isText ? [name] : [];
  });
  return new Set(texts);
}
