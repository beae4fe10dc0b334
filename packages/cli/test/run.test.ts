import { describe, expect, it } from 'vitest';
import { git, Stage } from '../../../test/flows/stage.ts';
import { folder } from '../../../test/project.ts';
import { expectError, expectJsonError, patchbay } from './command.ts';
import { begin, call, json, type RunJson } from './run-fixture.ts';

describe('run', () => {
  it('goes to the end, and tells people how it goes', () => {
    const stage = new Stage('rejection');
    const { stdout, stderr, status } = call(stage, 'run', '--template', 'flow', '--input', 'Make it work');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^run-\S+: Make it work\n {2}building\.developer \(attempt 1\) …\n/);
    expect(stderr).toContain('  building.developer rejected: Not yet\n  building.developer (attempt 2) …\n');
    expect(stdout).toMatch(/^run-\S+: completed\n/);
    expect(stdout).toMatch(/building\.developer +developer +attempt 2 +accepted +Written and tested/);
  });

  it('prints one JSON document, and exits with 0 when the run is completed', () => {
    const stage = new Stage('rejection');
    const run = begin(stage, 0);
    expect(run).toEqual({
      run_id: expect.stringMatching(/^run-/),
      template: 'flow',
      status: 'completed',
      turns: expect.arrayContaining([
        { turn_id: 'building.developer', role: 'developer', phase: 'building', attempt: 2, state: 'accepted' },
      ]),
      gates: [{ name: 'reviewed', state: 'open' }],
      cost: { input_tokens: 0, output_tokens: 0, usd: 0 },
    });
    expect(stage.result(run, 'src/b.txt')).toBe('code');
  });

  it('exits with 3 at a gate, and says how to go on', () => {
    const stage = new Stage('straight');
    const { stdout, status } = call(stage, 'run', '--template', 'flow', '--input', 'Make it work');
    expect([status, stdout]).toEqual([3, expect.stringMatching(/gate "plan": patchbay approve run-\S+\n$/)]);
  });

  it('exits with 4 when it is held, and says why', () => {
    const run = begin(new Stage('exhausted'), 4);
    expect(run).toMatchObject({
      status: 'held',
      reason: 'turn building.developer (developer) was tried 2 times: ./agent.sh exited with 1: no idea',
      turns: [{ turn_id: 'building.developer', attempt: 2, state: 'failed' }],
    });
  });

  it('wants a goal, a project and a template that there is', () => {
    const stage = new Stage('straight');
    expectError(call(stage, 'run'), 2, 'USAGE', /say with --input/);
    expectError(patchbay(['run', '--input', 'x'], { cwd: folder() }), 2, 'PROJECT_MISSING', /no project/);
    const misspelt = call(stage, 'run', '--template', 'flwo', '--input', 'x', '--json');
    expectJsonError(misspelt, 2, 'TEMPLATE_UNKNOWN', /did you mean "flow"\?/);
  });

  it('tells every problem of a template at once, and begins nothing', () => {
    const stage = new Stage('straight');
    stage.write(
      'patchbay/templates/bad.yaml',
      'name: bad\nroles: {}\nphases:\n  - name: a\n    steps: [{ role: nobody }]\n    next: b\n',
    );
    const error = expectJsonError(
      call(stage, 'run', '--template', 'bad', '--input', 'x', '--json'),
      2,
      'TEMPLATE_INVALID',
      /bad\.yaml/,
    ) as { problems: { path: string }[] };
    expect(error.problems.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['phases[0].steps[0].role', 'phases[0].next']),
    );
    expect(json(stage, 0, 'status')).toEqual([]);
  });

  it('is refused where no core plays a role, with what to write', () => {
    const stage = new Stage('straight');
    const ended = call(stage, 'run', '--input', 'x', '--json');
    const error = expectJsonError(ended, 2, 'RUN_REFUSED', /role "planner" of template "governed" has no agent core/);
    expect(error).toMatchObject({ hint: expect.stringMatching(/patchbay\.yaml under "runs"/) });
    stage.write('patchbay.yaml', 'runs: { core: psychic }\n');
    const unknown = expectJsonError(call(stage, 'run', '--input', 'x', '--json'), 2, 'RUN_REFUSED', /"psychic"/);
    expect(unknown).toMatchObject({ hint: expect.stringMatching(/^Known are .*\bscript\b/) });
  });

  it('is told what is not committed, and goes on with resume when it is', () => {
    const stage = new Stage('rejection');
    stage.write('src/new.txt', 'new');
    const ended = call(stage, 'run', '--template', 'flow', '--input', 'x', '--json');
    expectJsonError(ended, 2, 'WORKSPACE_DIRTY', /src\/new\.txt/);
    expect(json<RunJson[]>(stage, 0, 'status')).toMatchObject([{ status: 'active' }]);
    stage.commit();
    expect(json<RunJson[]>(stage, 0, 'resume')).toMatchObject([{ status: 'completed' }]);
  });
});

describe('status', () => {
  it('lists runs, and shows one of them whatever has become of it, with exit 0', () => {
    const stage = new Stage('straight');
    expect(call(stage, 'status').stdout).toBe('No runs.\n');
    const { run_id } = begin(stage, 3, '--by', 'ann');
    expect(json(stage, 0, 'status')).toMatchObject([
      { run_id, status: 'waiting', template: 'flow', goal: 'Make it work' },
    ]);
    expect(json(stage, 0, 'status', run_id)).toMatchObject({
      run_id,
      status: 'waiting',
      gates: [{ name: 'plan', state: 'pending' }],
    });
    expect(call(stage, 'status').stdout).toMatch(new RegExp(`^${run_id} +waiting +flow .*Make it work\n$`));
  });
});

describe('abort', () => {
  it('ends a run, takes its worktree away and keeps its branch', () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 3);
    const run = json(stage, 0, 'abort', run_id, '--by', 'ann', '--reason', 'Not needed any more');
    expect(run).toMatchObject({ run_id, status: 'aborted', reason: 'ann: Not needed any more' });
    expect(git(stage.dir, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(stage.result(run, 'PLAN.md')).toBe('Goal: Make it work');
    expectJsonError(call(stage, 'abort', run_id, '--json'), 1, 'RUN_TRANSITION', /is aborted: it cannot be aborted/);
  });

  it('ends a run that nobody has begun', () => {
    const stage = new Stage('straight');
    const { run_id } = begin(stage, 0, '--detach');
    expect(json(stage, 0, 'abort', run_id)).toMatchObject({ run_id, status: 'aborted' });
    expect(json(stage, 0, 'resume')).toEqual([]);
  });
});

describe('A run that there is not', () => {
  it.each([
    ['status', []],
    ['approve', []],
    ['refuse', ['--reason', 'no']],
    ['resume', []],
    ['abort', []],
  ])('%s says so', (command, options) => {
    const stage = new Stage('straight');
    expectJsonError(call(stage, command, 'run-0', ...options, '--json'), 2, 'RUN_UNKNOWN', /there is no run run-0/);
  });
});
