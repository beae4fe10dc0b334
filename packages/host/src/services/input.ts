import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { messageOf, suggestion } from 'patchbay-sdk';
import { bounded } from './bounded.ts';
import { anyObject, type Tool } from './tool.ts';

/** What an agent calls a tool with may be so long, as JSON. */
const mostCharacters = 1024 * 1024;
/** A schema comes with a plugin or a server: its patterns must not keep the host busy. */
const compileMs = 5000;
const checkMs = 1000;
const mostKept = 500;

/** A call's input as it is used from here on: whoever made it cannot change it any more. */
export interface Input {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** The input as a copy of its own. Throws an error that the agent can be told if it is no object, or too much. */
export function inputOf(given: unknown): Input {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('the input must be an object');
  let json: string;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw new Error(`the input cannot be written as JSON: ${messageOf(error)}`);
  }
  if (json.length > mostCharacters) throw new Error(`the input has more than ${mostCharacters} characters`);
  return { fields: JSON.parse(json) as Input['fields'], json };
}

/** Checks inputs against the schemas of tools, which are compiled once. */
export class Inputs {
  readonly #validators = new Map<string, ValidateFunction | string>();

  /** What is wrong with an input, all of it; undefined if nothing is. Never throws. */
  problem({ name, inputSchema }: Pick<Tool, 'name' | 'inputSchema'>, { fields }: Input): string | undefined {
    if (inputSchema === anyObject) return undefined;
    const validate = this.#validator(inputSchema);
    if (typeof validate === 'string') return `the schema of tool "${name}" cannot be used: ${validate}`;
    try {
      if (bounded(checkMs, () => validate(fields) as boolean)) return undefined;
    } catch (error) {
      return `the schema of tool "${name}" cannot be used: ${messageOf(error)}`;
    }
    const problems = (validate.errors ?? []).map((error) => tell(inputSchema, error));
    return `the input of tool "${name}" is wrong: ${problems.join('; ')}`;
  }

  #validator(schema: Readonly<Record<string, unknown>>): ValidateFunction | string {
    const text = JSON.stringify(schema);
    const known = this.#validators.get(text);
    if (known !== undefined) return known;
    const made = compiled(schema);
    const [oldest] = this.#validators.keys();
    if (this.#validators.size >= mostKept && oldest !== undefined) this.#validators.delete(oldest);
    this.#validators.set(text, made);
    return made;
  }
}

function compiled(schema: Readonly<Record<string, unknown>>): ValidateFunction | string {
  // Which draft a schema is written for matters little to what tools ask for; that it is another one is no reason to refuse it.
  const { $schema: _, $id: __, ...rest } = schema;
  try {
    const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
    formats.default(ajv);
    return bounded(compileMs, () => ajv.compile(rest));
  } catch (error) {
    return messageOf(error);
  }
}

function tell(
  schema: Readonly<Record<string, unknown>>,
  { instancePath, keyword, params, message }: ErrorObject,
): string {
  const at = instancePath.slice(1).replaceAll('/', '.');
  const within = (name: unknown) => `"${at === '' ? '' : `${at}.`}${String(name)}"`;
  if (keyword === 'required') return `${within(params['missingProperty'])} is required`;
  if (keyword === 'additionalProperties') {
    const extra = String(params['additionalProperty']);
    const known = Object.keys((schema['properties'] ?? {}) as object);
    return `${within(extra)} is not known; ${suggestion(extra, known)}`;
  }
  return `${at === '' ? 'it' : `"${at}"`} ${message ?? 'is wrong'}`;
}
