import { it } from 'vitest';
import { soak } from '../messages/soak.ts';

it('3 minutes of 50 messages a second over 100 workspaces, with two restarts: each is answered once, in order', async () => {
  await soak({ workspaces: 100, ms: 180_000, perSecond: 50 });
}, 600_000);
