export { type Installed, type InstallOptions, installPlugin, upgradePlugin } from './install.ts';
export { describePlugin, enablePlugin, type Listed, listPlugins, removePlugin, verifyPlugins } from './manage.ts';
export { type Restored, restorePlugins } from './restore.ts';
