export { llmCore, llmCore as default } from './core.ts';
