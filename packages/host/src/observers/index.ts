export { Observers, type ObserversParts } from './observers.ts';
