import type { Case } from './case.ts';
import { code } from './fresh/code.ts';
import { delivery } from './fresh/delivery.ts';
import { hard } from './fresh/hard.ts';
import { actions as heldActions } from './held-out/actions.ts';
import { builds as heldBuilds } from './held-out/builds.ts';
import { gates as heldGates } from './held-out/gate.ts';
import { injections as heldInjections } from './held-out/injection.ts';
import { network as heldNetwork } from './held-out/network.ts';
import { secrets as heldSecrets } from './held-out/secrets.ts';
import { testSteps as heldTestSteps } from './held-out/test-steps.ts';
import { traversals as heldTraversals } from './held-out/traversal.ts';
import { actions } from './known/actions.ts';
import { builds } from './known/builds.ts';
import { gates } from './known/gate.ts';
import { injections } from './known/injection.ts';
import { network } from './known/network.ts';
import { secrets } from './known/secrets.ts';
import { testSteps } from './known/test-steps.ts';
import { traversals } from './known/traversal.ts';

/**
 * The cases in three parts: one was written before the rules of the reviewers were read, one while they grew, one to try
 * them afterwards.
 */
export const corpus = {
  'held out': [
    heldGates,
    heldSecrets,
    heldInjections,
    heldTraversals,
    heldNetwork,
    heldActions,
    heldTestSteps,
    heldBuilds,
  ].flat(),
  known: [gates, secrets, injections, traversals, network, actions, testSteps, builds].flat(),
  fresh: [code, delivery, hard].flat(),
} as const satisfies Record<string, readonly Case[]>;
