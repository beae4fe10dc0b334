export { httpCore } from './http.ts';
export { manualCore } from './manual.ts';
export { scriptCore } from './script.ts';
