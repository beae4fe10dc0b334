import { expect, it } from 'vitest';
import { openHost } from '../../../packages/host/src/host.ts';
import { listSkills } from '../../../packages/host/src/skills/index.ts';
import { folder } from '../../../test/project.ts';
import CalendarPlugin from '../plugin.ts';

it('brings tools and a skill', async () => {
  const host = await openHost({ cwd: folder({ 'patchbay.yaml': '' }), version: '0.0.0' });
  const { fromPynchy } = await import('../../../packages/host/src/dialects/pynchy/adapt.ts');
  host.load(fromPynchy(CalendarPlugin, { name: 'calendar', version: '1.0.0', file: 'plugin.ts' }, {}));
  const { entries } = await host.kernel.call('serviceTools', {});
  const call = (name: string, fields: object) => {
    const tool = entries[name];
    const handler = typeof tool === 'function' ? tool : tool?.handler;
    return handler?.({ type: name, request_id: 'r1', ...fields });
  };
  const entry = { id: 1, title: 'Lunch', at: '2026-03-01T12:00:00Z' };
  expect(await call('create_event', { title: 'Lunch', at: entry.at })).toEqual({ result: entry });
  expect(await call('list_calendar', {})).toEqual({ result: [entry] });
  expect(await call('delete_event', { id: 2 })).toEqual({ error: 'there is no entry 2' });
  expect(await call('delete_event', { id: 1 })).toEqual({ result: entry });
  const { skills, problems } = await listSkills(host.kernel, ['calendar']);
  expect(problems).toEqual([]);
  expect(skills).toMatchObject([{ name: 'calendar', tier: 'community', selected: true }]);
  await host.close();
});
