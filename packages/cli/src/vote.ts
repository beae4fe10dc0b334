import { type Service, tokenVariable } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { changing } from './carry-on.ts';
import type { Input, Output } from './command.ts';
import { standingOutput } from './run-output.ts';
import { askSecret } from './secret.ts';

type Vote = Parameters<Service['runs']['vote']>[1];

/** Decides on the gate that a run waits at, and carries it on. Who must prove who they are is asked for their token. */
export async function vote(input: Input, decided: Omit<Vote, 'token'>): Promise<Output> {
  const [run_id = ''] = input.args;
  const given = takeToken();
  const cast = async (runs: Service['runs']) => {
    try {
      await runs.vote(run_id, { ...decided, token: given });
    } catch (error) {
      if (given !== undefined || !isUnproven(error)) throw error;
      const token = await askSecret(`Token of ${decided.by}`, input.signal);
      if (token === undefined) throw error;
      await runs.vote(run_id, { ...decided, token });
    }
  };
  return standingOutput(await changing(input, run_id, cast));
}

/** The token that the environment holds. It is taken out: nothing that this command starts has any business with it. */
function takeToken(): string | undefined {
  const token = process.env[tokenVariable];
  delete process.env[tokenVariable];
  return token === undefined || token.trim() === '' ? undefined : token;
}

function isUnproven(error: unknown): boolean {
  return error instanceof PatchbayError && error.code === 'APPROVAL_UNPROVEN';
}
