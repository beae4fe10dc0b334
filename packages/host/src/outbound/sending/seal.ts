import { PatchbayError } from 'patchbay-sdk';

/** How a secret is written where it stands. */
const forms = {
  plain: (secret: string) => secret,
  json: (secret: string) => JSON.stringify(secret).slice(1, -1),
  url: encodeURIComponent,
  form: (secret: string) => new URLSearchParams({ '': secret }).toString().slice(1),
};
type Form = keyof typeof forms;

/** Where a text stands: in JSON, a secret that is put back must not end the string it is in. */
type Setting = 'json' | 'plain';
const usual: Readonly<Record<Setting, readonly Form[]>> = {
  json: ['json', 'url', 'form'],
  plain: ['plain', 'url', 'form'],
};

/** A text in parts, in which each secret is named by the variable of the environment it comes from. */
export type Sealed = readonly (string | { readonly env: string; readonly as: Form } | { readonly base64: Sealed })[];

/** Shorter values are words like `on`: nothing to hide, and everywhere. */
const shortest = 4;

/**
 * Takes the secrets of a plugin out of a text and puts them back. Knows them as they are, and as JSON, addresses, forms and
 * Base64 (`user:secret` of a Basic header) write them; what a plugin makes of a secret otherwise, a hash say, it does not
 * recognise.
 */
export class Seal {
  readonly #secrets: ReadonlyMap<string, string>;
  readonly #patterns: Readonly<Record<Setting, Pattern | undefined>>;

  /** Takes the values by the names of their variables. */
  constructor(secrets: ReadonlyMap<string, string>) {
    this.#secrets = secrets;
    this.#patterns = { json: patternOf(secrets, 'json'), plain: patternOf(secrets, 'plain') };
  }

  /** Every value that it knows. */
  get secrets(): readonly string[] {
    return [...this.#secrets.values()];
  }

  /** Never throws. */
  close(text: string, setting: Setting): Sealed {
    const pattern = this.#patterns[setting];
    if (pattern === undefined) return [text];
    return split(text, pattern.regex, (found) => pattern.names.get(found)).flatMap((part) =>
      typeof part === 'string' ? this.#inBase64(part) : [part],
    );
  }

  /** Throws CONFIG_INVALID if a variable is no longer among the secrets of the plugin. */
  open(sealed: Sealed): string {
    return sealed.map((part) => this.#openPart(part)).join('');
  }

  #openPart(part: Sealed[number]): string {
    if (typeof part === 'string') return part;
    if ('base64' in part) return Buffer.from(this.open(part.base64)).toString('base64');
    const secret = this.#secrets.get(part.env);
    if (secret !== undefined) return forms[part.as](secret);
    throw new PatchbayError(
      'CONFIG_INVALID',
      `its request needs the variable ${part.env}, which is not set or which the plugin is no longer given`,
    );
  }

  #inBase64(text: string): Sealed {
    return split(text, /[A-Za-z0-9+/]{8,}={0,2}/g, (token) => {
      const decoded = Buffer.from(token, 'base64').toString();
      // Otherwise it could not be put back as it was.
      if (Buffer.from(decoded).toString('base64') !== token) return undefined;
      const inside = this.#patterns.plain?.regex;
      if (inside === undefined || decoded.search(inside) < 0) return undefined;
      return { base64: this.close(decoded, 'plain') };
    });
  }
}

interface Pattern {
  readonly regex: RegExp;
  readonly names: ReadonlyMap<string, { readonly env: string; readonly as: Form }>;
}

function patternOf(secrets: ReadonlyMap<string, string>, setting: Setting): Pattern | undefined {
  const names = new Map<string, { env: string; as: Form }>();
  for (const [env, secret] of secrets) {
    for (const as of usual[setting]) {
      const written = forms[as](secret);
      if (written.length >= shortest && !names.has(written)) names.set(written, { env, as });
    }
  }
  if (names.size === 0) return undefined;
  // One may hold another.
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  return { regex: new RegExp(longestFirst.map((one) => RegExp.escape(one)).join('|'), 'g'), names };
}

/** The text with each match replaced by what `part` makes of it; where it makes nothing, the text stays. */
function split(text: string, regex: RegExp, part: (found: string) => Sealed[number] | undefined): Sealed[number][] {
  const parts: Sealed[number][] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(regex)) {
    const made = part(found);
    if (made === undefined) continue;
    if (index > from) parts.push(text.slice(from, index));
    parts.push(made);
    from = index + found.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
