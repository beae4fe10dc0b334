import { definePlugin } from 'patchbay-sdk';
import { junit } from './junit.ts';
import { progress } from './progress.ts';
import { summary } from './summary.ts';

/** The reporter `markdown`. */
export const progressPlugin = definePlugin({
  name: 'reporter-markdown',
  version: '1.0.0',
  provides: { reporter: () => progress },
});

/** The reporter `junit`. */
export const junitPlugin = definePlugin({
  name: 'reporter-junit',
  version: '1.0.0',
  provides: { reporter: () => junit },
});

/** The reporter `summary`. */
export const summaryPlugin = definePlugin({
  name: 'reporter-summary',
  version: '1.0.0',
  provides: { reporter: () => summary },
});

export { junit, progress, summary };
