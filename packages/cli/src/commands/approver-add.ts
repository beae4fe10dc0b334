import { addApprover, tokenVariable } from 'patchbay-host';
import type { Run } from '../command.ts';

export const run: Run = async ({ args, cwd }) => {
  const [name = ''] = args;
  const { file, token } = await addApprover(cwd, name);
  const text = [
    token,
    '',
    `This is the token of ${name}, and is shown only now; ${file} knows what it is known by.`,
    `To decide on a credentialed gate: ${tokenVariable}=TOKEN patchbay approve RUN --by ${name}`,
  ].join('\n');
  return { json: { name, file, token }, text };
};
