import { expect, it } from 'vitest';
import { GitHubWebhookIn } from '../pace_plugin.ts';

/** The plugin, and the days that it has had run. */
function loaded(config: { secret?: string } = {}) {
  const days: unknown[] = [];
  class Watched extends GitHubWebhookIn {
    override async triggerPipeline({ day }: { day?: number | null } = {}) {
      days.push(day);
      return 'run-1';
    }
  }
  return { plugin: new Watched(config), days };
}

it('has the next day run when main is pushed to, and only then', () => {
  const { plugin, days } = loaded();
  expect(plugin.path).toBe('/github/push');
  expect(plugin.handle({ ref: 'refs/heads/main' }, {})).toEqual({ status: 'accepted' });
  expect(plugin.handle({ ref: 'refs/heads/other' }, {})).toEqual({ status: 'accepted' });
  expect(plugin.handle({}, {})).toEqual({ status: 'accepted' });
  expect(days).toEqual([null]);
});

it('believes GitHub only, once it has a secret', () => {
  expect(loaded().plugin.proof).toEqual({ scheme: 'none' });
  expect(loaded({ secret: 'abc' }).plugin.proof).toEqual({ scheme: 'github', secrets: ['abc'] });
});
