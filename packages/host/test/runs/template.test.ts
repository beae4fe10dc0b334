import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { templateDigest } from '../../src/runs/template/digest.ts';
import { findTemplate, listTemplates } from '../../src/runs/template/find.ts';
import { readTemplate } from '../../src/runs/template/read.ts';
import { type Template, upToDate } from '../../src/runs/template/template.ts';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A project with these files under `patchbay/templates`. */
function project(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-template-'));
  made.push(dir);
  mkdirSync(join(dir, 'patchbay/templates'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'patchbay/templates', name), text);
  return dir;
}

function errorOf(act: () => unknown): PatchbayError {
  try {
    act();
  } catch (error) {
    if (error instanceof PatchbayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const small = (name: string) => `
name: ${name}
roles: { worker: {} }
phases: [{ name: work, steps: [{ role: worker }] }]
`;

const whole = `
name: whole
description: Everything that can be said.
roles:
  developer: { title: Developer, mandate: Build it., core: script, with: { command: [./dev.sh] }, writes: ["src/**"], timeout: 90s, report: handoff }
  tester: {}
  judge: { core: gate }
phases:
  - name: build
    steps:
      - role: developer
        reviewers: [judge, tester]
        verify: [npm test, npm run lint]
      - parallel: [{ role: tester }, { role: tester }, { role: developer, reviewers: [judge] }]
    gate: ship
    next: finish
  - name: finish
    steps: [{ role: tester }]
    next: end
gates:
  ship:
    checks:
      - verification: pass
      - { file: PLAN.md, contains: "## Goal" }
      - { file: docs/LOG.md, matches: "^v\\\\d+" }
      - { file: LICENSE }
      - reviews: pass
      - objections: none
      - objections: high
    approval: { kind: credentialed, quorum: 2, approvers: [ada, bob], proposer_may_approve: false, expires: 3d }
limits: { attempts: 5, run_timeout: 8h, usd: 0.5, tokens: 1000000, parallel: 2 }
reviews: { advisory: retry-once, crash: hold }
`;

describe('a template', () => {
  it('is read with every field that it may have', () => {
    expect(readTemplate(whole, 'whole.yaml')).toEqual({
      name: 'whole',
      description: 'Everything that can be said.',
      roles: {
        developer: {
          name: 'developer',
          title: 'Developer',
          mandate: 'Build it.',
          core: 'script',
          with: { command: ['./dev.sh'] },
          writes: ['src/**'],
          timeoutMs: 90_000,
          report: 'handoff',
        },
        tester: expect.objectContaining({ name: 'tester' }),
        judge: expect.objectContaining({ core: 'gate' }),
      },
      phases: [
        {
          name: 'build',
          steps: [
            [
              {
                id: 'build/developer',
                role: 'developer',
                reviewers: ['judge', 'tester'],
                verify: ['npm test', 'npm run lint'],
              },
            ],
            [
              { id: 'build/tester', role: 'tester', reviewers: [], verify: [] },
              { id: 'build/tester.2', role: 'tester', reviewers: [], verify: [] },
              { id: 'build/developer.2', role: 'developer', reviewers: ['judge'], verify: [] },
            ],
          ],
          gate: 'ship',
          next: 'finish',
        },
        {
          name: 'finish',
          steps: [[{ id: 'finish/tester', role: 'tester', reviewers: [], verify: [] }]],
          gate: 'finish',
          next: null,
        },
      ],
      gates: {
        ship: {
          name: 'ship',
          checks: [
            { kind: 'verification' },
            { kind: 'file', path: 'PLAN.md', contains: '## Goal', matches: null },
            { kind: 'file', path: 'docs/LOG.md', contains: null, matches: '^v\\d+' },
            { kind: 'file', path: 'LICENSE', contains: null, matches: null },
            { kind: 'reviews' },
            { kind: 'objections', severity: 'low' },
            { kind: 'objections', severity: 'high' },
          ],
          approval: {
            kind: 'credentialed',
            quorum: 2,
            approvers: ['ada', 'bob'],
            proposerMayApprove: false,
            expiresMs: 3 * 86_400_000,
          },
        },
        finish: {
          name: 'finish',
          checks: [],
          approval: { kind: 'automatic', quorum: 0, approvers: [], proposerMayApprove: true, expiresMs: null },
        },
      },
      limits: { attempts: 5, runTimeoutMs: 8 * 3_600_000, usd: 0.5, tokens: 1_000_000, parallel: 2 },
      reviews: { advisory: 'retry-once', crash: 'hold' },
    });
  });

  it('has defaults for all that it does not say', () => {
    const { roles, phases, gates, limits, reviews, description } = readTemplate(small('small'), 'small.yaml');
    expect(description).toBe('');
    expect(roles).toEqual({
      worker: {
        name: 'worker',
        title: 'worker',
        mandate: '',
        core: 'default',
        with: {},
        writes: [],
        timeoutMs: 30 * 60_000,
        report: null,
      },
    });
    expect(phases).toMatchObject([{ name: 'work', gate: 'work', next: null }]);
    expect(gates['work']).toMatchObject({ checks: [], approval: { kind: 'automatic' } });
    expect(limits).toEqual({ attempts: 3, runTimeoutMs: null, usd: null, tokens: null, parallel: 4 });
    expect(reviews).toEqual({ advisory: 'record', crash: 'retry' });
  });

  it('asks only for documents that there are, and heeds reviews in ways that there are', () => {
    const text = `${small('x').replace('worker: {}', 'worker: { report: handof }')}reviews: { advisory: retry, crash: stop }\n`;
    expect(errorOf(() => readTemplate(text, 'x.yaml')).problems).toEqual([
      expect.objectContaining({
        path: 'roles.worker.report',
        message: expect.stringContaining('did you mean "handoff"'),
      }),
      expect.objectContaining({ path: 'reviews.advisory', message: expect.stringContaining('record, retry-once') }),
      expect.objectContaining({ path: 'reviews.crash', message: expect.stringContaining('retry, hold') }),
    ]);
  });

  it('goes on with the next phase of the file, unless it says another', () => {
    const phase = (name: string, more = '') => `  - { name: ${name}, steps: [{ role: worker }]${more} }\n`;
    const text = `name: x\nroles: { worker: {} }\nphases:\n${phase('a', ', next: c')}${phase('b', ', next: end')}${phase('c', ', next: b')}`;
    expect(readTemplate(text, 'x.yaml').phases.map(({ name, next }) => [name, next])).toEqual([
      ['a', 'c'],
      ['b', null],
      ['c', 'b'],
    ]);
  });

  it('is the same, with the same digest, after it was kept as JSON', () => {
    for (const template of [
      readTemplate(whole, 'whole.yaml'),
      ...['governed', 'pace', 'chat'].map((name) => findTemplate(name, project())),
    ]) {
      const kept = JSON.parse(JSON.stringify(template));
      expect(kept).toEqual(template);
      expect(templateDigest(kept)).toBe(templateDigest(template));
    }
  });

  it('has a digest that does not depend on the order of fields, but on everything it says', () => {
    const digest = (text: string) => templateDigest(readTemplate(text, 'x.yaml'));
    const roles = (text: string) => small('x').replace('worker: {}', text);
    expect(digest(roles('worker: { title: W, core: a }'))).toBe(digest(roles('worker: { core: a, title: W }')));
    expect(digest(roles('worker: { title: W }'))).not.toBe(digest(roles('worker: { title: V }')));
    expect(digest(small('x'))).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the templates that ship', () => {
  it.each(['governed', 'pace', 'chat'])('%s loads without a warning', (name) => {
    const warnings: string[] = [];
    expect(findTemplate(name, project(), (message) => warnings.push(message)).name).toBe(name);
    expect(warnings).toEqual([]);
  });

  it('governed asks people for the plan and for the end, and evidence in between', () => {
    const { phases, gates } = findTemplate('governed', project());
    expect(phases.map(({ name, gate }) => [name, gates[gate]?.approval.kind])).toEqual([
      ['planning', 'human'],
      ['implementation', 'automatic'],
      ['review', 'human'],
    ]);
    expect(gates['evidence']?.checks).toEqual([{ kind: 'verification' }, { kind: 'reviews' }]);
  });

  it('pace has FORGE judged by reviewers that need no model', () => {
    const { phases, roles } = findTemplate('pace', project());
    const steps = phases.flatMap((phase) => phase.steps.flat());
    expect(steps.map(({ role }) => role)).toEqual(['prime', 'forge', 'scribe']);
    expect(steps[1]?.reviewers.map((role) => roles[role]?.core)).toEqual(['gate', 'sentinel', 'conduit']);
  });

  it('chat is one turn with a gate that opens by itself', () => {
    const { phases, gates } = findTemplate('chat', project());
    expect(phases.flatMap(({ steps }) => steps.flat())).toHaveLength(1);
    expect(Object.values(gates)).toMatchObject([{ checks: [], approval: { kind: 'automatic' } }]);
  });
});

it('the example in the documentation is read without a warning', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/templates.md'), 'utf8');
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const warnings: string[] = [];
  expect(readTemplate(example, 'feature.yaml', (message) => warnings.push(message)).name).toBe('feature');
  expect(warnings).toEqual([]);
});

describe('finding a template', () => {
  it('takes one of the project', () => {
    expect(findTemplate('mine', project({ 'mine.yaml': small('mine') })).name).toBe('mine');
  });

  it('takes the one of the project before a shipped one of the same name, and tells so', () => {
    const warnings: string[] = [];
    const dir = project({ 'chat.yaml': small('chat') });
    const { phases } = findTemplate('chat', dir, (message) => warnings.push(message));
    expect(phases.map(({ name }) => name)).toEqual(['work']);
    expect(warnings).toEqual([
      `${join(dir, 'patchbay/templates/chat.yaml')} is used, not the template "chat" that ships`,
    ]);
  });

  it.each([
    ['govrned', 'there is no template "govrned"; did you mean "governed"? there are chat, governed, mine, pace'],
    ['unheard-of', 'there is no template "unheard-of"; there are chat, governed, mine, pace'],
    ['../templates/mine', 'there is no template "../templates/mine"'],
    ['constructor', 'there is no template "constructor"'],
  ])('tells those there are when there is none called %s', (name, message) => {
    const error = errorOf(() => findTemplate(name, project({ 'mine.yaml': small('mine') })));
    expect(error.code).toBe('TEMPLATE_UNKNOWN');
    expect(error.message).toContain(message);
  });

  it('refuses one that has another name than its file', () => {
    const error = errorOf(() => findTemplate('mine', project({ 'mine.yaml': small('yours') })));
    expect(error).toMatchObject({ code: 'TEMPLATE_INVALID', problems: [{ path: 'name' }] });
    expect(error.message).toContain('is "yours", but the file is mine.yaml');
  });

  it('tells of one that cannot be read', () => {
    const dir = project();
    mkdirSync(join(dir, 'patchbay/templates/folder.yaml'));
    const error = errorOf(() => findTemplate('folder', dir));
    expect(error).toMatchObject({ code: 'TEMPLATE_INVALID', message: expect.stringContaining('cannot be read') });
  });

  it('lists all of them, those with problems too', () => {
    const dir = project({
      'chat.yaml': small('chat'),
      'broken.yaml': 'name: broken',
      'Not A Name.yaml': '',
      'x.txt': '',
    });
    expect(listTemplates(dir)).toMatchObject([
      { name: 'broken', origin: 'project', description: null, error: { code: 'TEMPLATE_INVALID' } },
      { name: 'chat', origin: 'project', replaces: true, description: '', error: null },
      { name: 'governed', origin: 'shipped', replaces: false, description: expect.stringContaining('approve') },
      { name: 'pace', origin: 'shipped', error: null },
    ]);
  });

  it('lists the shipped ones where there is no project', () => {
    expect(listTemplates('/nowhere').map(({ name }) => name)).toEqual(['chat', 'governed', 'pace']);
  });
});

it('of a run that began under an earlier version says what was usual then, where it says nothing', () => {
  const { reviews: _, ...earlier } = findTemplate('governed', tmpdir());
  const roles = Object.fromEntries(
    Object.entries(earlier.roles).map(([name, { report: __, ...role }]) => [name, role]),
  );
  const now = upToDate({ ...earlier, roles } as unknown as Template);
  expect(now).toEqual(findTemplate('governed', tmpdir()));
});
