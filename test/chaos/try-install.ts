/** Installs the package in the folder of the second argument into the project of the first, and tells how that ended. */
import { PatchbayError } from 'patchbay-sdk';
import { installPlugin } from '../../packages/host/src/install/index.ts';

const [cwd = '', source = ''] = process.argv.slice(2);
const how = await installPlugin(source, { cwd, yes: true }).then(
  () => 'installed',
  (error) => (error instanceof PatchbayError ? error.code : `threw ${String(error)}`),
);
process.stdout.write('polluted' in {} ? 'polluted' : how);
