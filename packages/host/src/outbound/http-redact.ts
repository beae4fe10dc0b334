import { hiding } from '../log/redact.ts';

const longest = 4096;

/**
 * Makes a function that prepares what somebody else wrote for people: secrets taken out, as a server may echo them, control
 * characters made blank, and an end put to it.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const hide = hiding(secrets);
  return (text) => {
    const clean = hide(text).replaceAll(/\p{Cc}/gu, ' ');
    return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
  };
}
