import { beforeEach } from 'vitest';
import { newStore } from './store.ts';

// Hosts and commands find it by themselves, as they do wherever this variable is set.
beforeEach(async () => {
  Object.assign(process.env, await newStore());
});
