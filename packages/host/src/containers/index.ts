export { chooseRuntime, type RuntimeStatus, runtimeStatus } from './choose.ts';
export { Containers, type ContainersParts } from './containers.ts';
export { withEnvironment } from './cores/environment.ts';
export { selectedCore } from './cores/selected.ts';
export type { Facts } from './layout.ts';
