import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/runs/state.ts';
import type { Template } from '../../src/runs/template/template.ts';
import { failing, Pretend, result, stage, story, templateOf } from '../runs/fixture.ts';

const advisory = (...advisories: string[]) =>
  result({ status: 'advisory', summary: 'a concern', report: { advisories } });

/** A run of one developer whose reviewers answer by role and attempt of the work. */
async function judged(
  template: { reviewers: string[]; limits?: { attempts: number }; reviews: Partial<Template['reviews']> },
  review: (role: string, attempt: number) => ReturnType<typeof result | typeof failing>,
) {
  const workshop = new Pretend((turn: Turn) =>
    turn.reviews === null ? result() : review(turn.role, turn.reviews.attempt),
  );
  const { run, ledger } = await stage(workshop);
  const state = await run(templateOf({ build: ['developer'] }, template));
  return { state, steps: await story(ledger) };
}

describe('A concern that goes back once', () => {
  const reviews = { advisory: 'retry-once' } as const;

  it('is told together with those of all reviewers', async () => {
    const { state, steps } = await judged({ reviewers: ['a', 'b'], reviews }, (role, attempt) =>
      attempt === 1 ? advisory(`${role} is worried`) : result({ status: 'approved' }),
    );
    expect(steps).toContain('turn:accepted build.developer.1.b#1');
    const { feedback, attempt } = state.turns.find(({ role }) => role === 'developer') as Turn;
    expect([attempt, feedback]).toEqual([2, ['ADVISORY: a is worried; ADVISORY: b is worried']]);
    expect(state).toMatchObject({ status: 'completed', advisories: [] });
  });

  it('is told beside what another reviewer rejects for, and has had its one attempt with that', async () => {
    const { state } = await judged({ reviewers: ['a', 'b'], reviews }, (role, attempt) => {
      if (role === 'a') return advisory('slow');
      return attempt === 1 ? result({ status: 'rejected', summary: 'wrong' }) : result({ status: 'approved' });
    });
    const { feedback, attempt } = state.turns.find(({ role }) => role === 'developer') as Turn;
    expect([attempt, feedback]).toEqual([2, ['wrong', 'ADVISORY: slow']]);
    expect(state).toMatchObject({ status: 'completed', advisories: ['slow'] });
  });

  it('is recorded at once where no attempt is left', async () => {
    const { state } = await judged({ reviewers: ['a'], limits: { attempts: 1 }, reviews }, () => advisory('slow'));
    expect(state).toMatchObject({ status: 'completed', advisories: ['slow'] });
  });

  it('is recorded each by itself, and by the summary where there is no list', async () => {
    const { state } = await judged({ reviewers: ['a', 'b'], reviews: { advisory: 'record' } }, (role) =>
      role === 'a' ? advisory('slow', 'long', 'slow') : advisory(),
    );
    expect(state.advisories).toEqual(['slow', 'long', 'a concern']);
  });
});

describe('A review that fails', () => {
  it('is tried again, unless the template has it count as one that holds', async () => {
    const answer = (_: string, attempt: number) => (attempt === 1 ? failing('gone') : result({ status: 'approved' }));
    const retried = await judged({ reviewers: ['a'], limits: { attempts: 2 }, reviews: {} }, answer);
    expect(retried.state).toMatchObject({ status: 'held', reason: expect.stringContaining('(a) was tried 2 times') });
    const held = await judged({ reviewers: ['a'], reviews: { crash: 'hold' } }, answer);
    expect(held.state.status).toBe('completed');
    expect(held.steps.slice(3, 8)).toEqual([
      'turn:dispatched build.developer.1.a#1',
      'turn:failed build.developer.1.a#1',
      'turn:submitted build.developer.1.a#1',
      'turn:accepted build.developer.1.a#1',
      'turn:rejected build.developer#1',
    ]);
  });
});
