import type { AnyPlugin } from 'patchbay-sdk';
import { httpCore, manualCore, scriptCore } from 'plugin-cores';
import { conduitCore, gateCore, sentinelCore } from 'plugin-reviewers';

/** The plugins that come with the command and are always there. */
export const builtins: readonly AnyPlugin[] = [scriptCore, manualCore, httpCore, gateCore, sentinelCore, conduitCore];
