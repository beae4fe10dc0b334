import { it } from 'vitest';
import { soak } from '../../../../test/messages/soak.ts';

it('messages to ten workspaces of a host that is ended twice are each answered once, in order', async () => {
  await soak({ workspaces: 10, ms: 6000, perSecond: 10 });
});
