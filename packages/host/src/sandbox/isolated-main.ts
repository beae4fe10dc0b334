/** The process of an isolated plugin; started by `isolated/child-process.ts`, which speaks to it over descriptor 3. */
import { lendSdk } from '../dialects/module.ts';
import { serve } from './isolated/child/serve.ts';

lendSdk();
serve(3);
