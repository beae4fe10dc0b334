import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, nearest, PatchbayError } from 'patchbay-sdk';
import { isName } from './fields.ts';
import { readTemplate, templateInvalid, type Warn } from './read.ts';
import type { Template } from './template.ts';

/** A template that there is, good or not. */
export interface ListedTemplate {
  readonly name: string;
  readonly file: string;
  readonly origin: 'project' | 'shipped';
  /** Whether a shipped one of this name is left aside for it. */
  readonly replaces: boolean;
  /** Null if it cannot be read. */
  readonly description: string | null;
  /** What is wrong with it; null if nothing is. */
  readonly error: PatchbayError | null;
}

type Place = Pick<ListedTemplate, 'name' | 'file' | 'origin' | 'replaces'>;

const ending = '.yaml';
// Beside the sources in a checkout, beside the bundle where it is built.
const shippedDir = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../templates' : 'templates');

/**
 * The template of this name: `patchbay/templates/NAME.yaml` of the project, else the one that ships. Throws
 * TEMPLATE_UNKNOWN with the names there are, TEMPLATE_INVALID if it is wrong. That a project's template takes the place of
 * a shipped one is told to `warn`, beside what `readTemplate` tells.
 */
export function findTemplate(name: string, projectDir: string, warn: Warn = () => {}): Template {
  const places = placesIn(projectDir);
  const place = places.find((one) => one.name === name);
  if (place === undefined) throw unknownTemplate(name, places);
  if (place.replaces) warn(`${place.file} is used, not the template "${name}" that ships`);
  return load(place, warn);
}

/** Every template of the project and every shipped one that none of them replaces, by name. Never throws. */
export function listTemplates(projectDir: string): readonly ListedTemplate[] {
  return placesIn(projectDir).map((place) => {
    try {
      return { ...place, description: load(place).description, error: null };
    } catch (error) {
      const told = error instanceof PatchbayError ? error : unreadable(place.file, error);
      return { ...place, description: null, error: told };
    }
  });
}

function unknownTemplate(name: string, places: readonly Place[]): PatchbayError {
  const known = places.map((place) => place.name);
  const near = nearest(name, known);
  const meant = near === undefined ? '' : `did you mean "${near}"? `;
  return new PatchbayError(
    'TEMPLATE_UNKNOWN',
    `there is no template "${name}"; ${meant}there are ${known.join(', ')}`,
    { hint: `Name one of them, or write patchbay/templates/NAME${ending}.` },
  );
}

function load({ name, file }: Place, warn?: Warn): Template {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  const template = readTemplate(text, file, warn);
  if (template.name === name) return template;
  const message = `is "${template.name}", but the file is ${name}${ending}: they must be the same`;
  throw templateInvalid(file, [{ path: 'name', message, line: null }]);
}

function unreadable(file: string, error: unknown): PatchbayError {
  return templateInvalid(file, [{ path: '', message: `cannot be read: ${messageOf(error)}`, line: null }], error);
}

function placesIn(projectDir: string): readonly Place[] {
  const own = filesIn(join(projectDir, 'patchbay', 'templates'));
  const shipped = filesIn(shippedDir);
  const names = (files: readonly string[]) => files.map((file) => basename(file, ending));
  const [ownNames, shippedNames] = [names(own), names(shipped)];
  const place = (file: string, origin: Place['origin']): Place => {
    const name = basename(file, ending);
    return { name, file, origin, replaces: origin === 'project' && shippedNames.includes(name) };
  };
  return [
    ...own.map((file) => place(file, 'project')),
    ...shipped.filter((file) => !ownNames.includes(basename(file, ending))).map((file) => place(file, 'shipped')),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The templates in a folder; none if there is no such folder. */
function filesIn(dir: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names.filter((name) => name.endsWith(ending) && isName(basename(name, ending))).map((name) => join(dir, name));
}
