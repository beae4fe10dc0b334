export { acpCore, acpCore as default } from './core.ts';
