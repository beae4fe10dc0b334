export { inspectHandler } from './inspect.ts';
export { fromDefinition } from './native.ts';
