import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { folder } from '../../../test/project.ts';
import { expectError, expectJsonError, patchbay } from './command.ts';
import { begin, call, json, typesOf } from './run-fixture.ts';

const added = (stage: Stage, name: string) =>
  json<{ name: string; file: string; token: string }>(stage, 0, 'approver', 'add', name);

describe('approver add', () => {
  it('prints a token once, and the project file keeps only what it is known by', () => {
    const stage = new Stage('credentialed');
    const { token, file } = added(stage, 'ann');
    expect(token).toMatch(/^pba_[\w-]{43}$/);
    expect(file).toBe(stage.file('patchbay.yaml'));
    expect(readFileSync(file, 'utf8')).toMatch(/^runs:\n {2}approvers:\n {4}ann:\n {6}token_sha256: [0-9a-f]{64}\n$/);
    expectError(call(stage, 'approver', 'add', 'ann'), 2, 'USAGE', /ann has a token already/);
  });

  it('says how it is used', () => {
    const stage = new Stage('credentialed');
    const { stdout, status } = call(stage, 'approver', 'add', 'ann');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^pba_.*\n\n.*shown only now.*PATCHBAY_APPROVER_TOKEN=/s),
    ]);
  });

  it('wants a project, and a name', () => {
    expectError(patchbay(['approver', 'add', 'ann'], { cwd: folder() }), 2, 'PROJECT_MISSING', /no project/);
    expectError(call(new Stage('credentialed'), 'approver', 'add', 'a b'), 2, 'USAGE', /"a b" is no name/);
  });
});

describe('approve and refuse at a credentialed gate', () => {
  it('want the token of whoever decides, from the environment where nobody can type', () => {
    const stage = new Stage('credentialed');
    const [ann, bob] = [added(stage, 'ann'), added(stage, 'bob')];
    const { run_id } = begin(stage, 3);
    const before = typesOf(stage);
    const approve = (token?: string) =>
      patchbay(['approve', run_id, '--by', 'ann', '--json'], {
        cwd: stage.dir,
        ...(token === undefined ? {} : { env: { PATCHBAY_APPROVER_TOKEN: token } }),
      });
    expectJsonError(approve(), 2, 'APPROVAL_UNPROVEN', /that of ann was not given/);
    expectJsonError(approve(' '), 2, 'APPROVAL_UNPROVEN', /that of ann was not given/);
    expectJsonError(approve(bob.token), 2, 'APPROVAL_UNPROVEN', /is not that of ann/);
    const refused = call(stage, 'refuse', run_id, '--by', 'ann', '--reason', 'no', '--json');
    expectJsonError(refused, 2, 'APPROVAL_UNPROVEN', /that of ann was not given/);
    expect(typesOf(stage)).toEqual(before);
    const { stdout, status } = approve(ann.token);
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { run_id, status: 'completed' }]);
    const [line = ''] = call(stage, 'events', '--type', 'approval:decided', '--json').stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ payload: { approver: 'ann', proof: 'token' } });
    expect(call(stage, 'events', '--json').stdout).not.toContain(ann.token);
  });
});

describe('resume --overrule', () => {
  it('begins a held run anew without the objections it names', () => {
    const stage = new Stage('released');
    const objection = '{"id": "OBJ-1", "severity": "low", "statement": "It may be slow"}';
    const agent = `case $PATCHBAY_ROLE in
planner) echo plan > PLAN.md; echo '{"summary": "A plan", "objections": [${objection}]}' ;;
developer) echo code > src/a.txt; echo '{"summary": "Built"}' ;;
reviewer) echo '{"summary": "Good", "status": "approved"}' ;;
esac > "$PATCHBAY_RESULT"\n`;
    stage.write('agent.sh', `#!/bin/sh\n${agent}`);
    stage.commit();
    const { run_id, reason } = begin(stage, 4);
    expect(reason).toMatch(/objections are open: OBJ-1/);
    const wrong = call(stage, 'resume', run_id, '--overrule', 'OBJ-7', '--json');
    expectJsonError(wrong, 2, 'RUN_REFUSED', /no open objection OBJ-7/);
    const again = json(stage, 3, 'resume', run_id, '--overrule', 'OBJ-1', '--by', 'pat');
    expect(again).toMatchObject({ status: 'waiting' });
  });
});
