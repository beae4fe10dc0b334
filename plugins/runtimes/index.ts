import { type ContainerRuntime, definePlugin } from 'patchbay-sdk';
import { apple } from './apple.ts';
import { bubblewrap } from './bubblewrap.ts';
import { none } from './none.ts';
import { docker, podman } from './oci.ts';

function plugin(runtime: ContainerRuntime) {
  return definePlugin({
    name: `runtime-${runtime.name}`,
    version: '1.0.0',
    provides: { containerRuntime: () => runtime },
  });
}

/** Linux namespaces by bubblewrap. */
export const bubblewrapPlugin = plugin(bubblewrap);
/** Podman. */
export const podmanPlugin = plugin(podman);
/** Docker. */
export const dockerPlugin = plugin(docker);
/** Apple's `container`. */
export const applePlugin = plugin(apple);
/** No container. */
export const nonePlugin = plugin(none);

export { apple, bubblewrap, docker, none, podman };
