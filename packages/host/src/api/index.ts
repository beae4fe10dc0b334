export { type Limits, usualLimits } from './limits.ts';
export { type Api, type ApiOptions, startApi } from './server.ts';
export { apiToken } from './token.ts';
