/** Installs plugins into a project. Arguments: the project, then the folder of each plugin. */
import { installPlugin } from 'patchbay-host/install';

const [cwd = '', ...sources] = process.argv.slice(2);
for (const source of sources) await installPlugin(source, { cwd, yes: true });
