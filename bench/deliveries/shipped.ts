/** The host as users run it, which `npm run bench` has built: the processes it starts are smaller than those of sources. */
const file = new URL('../../packages/host/dist/index.js', import.meta.url).href;

export const { Launcher }: typeof import('../../packages/host/src/index.ts') = await import(file);
