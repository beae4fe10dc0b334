import { PatchbayError } from 'patchbay-sdk';

/** The variable that says which labels a host has, with commas between them. */
export const labelsVariable = 'PATCHBAY_LABELS';

/** What a label looks like. */
export const labelPattern = /^[\w.-]{1,64}$/;

/** What a label looks like, in words. */
export const labelWords = 'a label: letters, digits, dots, dashes and underscores, at most 64';

/** The labels of this host: those that were given to it, and those of its environment. Throws USAGE. */
export function hostLabels(given: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const listed = (env[labelsVariable] ?? '').split(',').map((label) => label.trim());
  const labels = [...given, ...listed.filter((label) => label !== '')];
  const wrong = labels.find((label) => !labelPattern.test(label));
  if (wrong !== undefined) {
    const where = given.includes(wrong) ? '--label' : labelsVariable;
    throw new PatchbayError('USAGE', `${where}: ${JSON.stringify(wrong)} must be ${labelWords}`);
  }
  return [...new Set(labels)];
}
