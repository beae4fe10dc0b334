export { type Installed, type InstallOptions, installPlugin, upgradePlugin } from './install.ts';
export { type Restored, restorePlugins } from './restore.ts';
