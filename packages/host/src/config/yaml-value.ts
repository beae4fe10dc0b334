import { CORE_SCHEMA, loadAll, YAMLException } from 'js-yaml';

/**
 * What a YAML text holds, by the core schema of YAML 1.2; `null` for a text without any. Throws an error that says what is
 * wrong and on which line. For reading only: to change a text, or to tell where something stands in it, needs its document.
 */
export function yamlValue(text: string): unknown {
  const documents = read(text);
  if (documents.length > 1) throw new Error('holds more than one document');
  return documents[0] ?? null;
}

/** An alias is shared, not copied, until somebody writes the value down: so few that it cannot grow beyond all bounds then. */
const maxAliases = 30;

function read(text: string): unknown[] {
  try {
    return loadAll(text, { schema: CORE_SCHEMA, maxAliases });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : ` at line ${error.mark.line + 1}`;
    throw new Error(`${error.reason}${line}`, { cause: error });
  }
}
