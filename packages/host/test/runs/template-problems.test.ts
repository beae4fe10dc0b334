import { describe, expect, it } from 'vitest';
import { readTemplate } from '../../src/runs/template/read.ts';
import { changed, good, refusal, wrongWith } from './template-fixture.ts';

const title = 'title: Developer';
const step = '      - role: reviewer\n';
const check = 'verification: pass';
const human = 'approval: human';

describe('a template is refused for', () => {
  it.each<[fault: string, from: string, to: string, problem: string]>([
    ['an unknown field', 'limits:', 'limit:', '21 limit: unknown field, did you mean "limits"?'],
    ['an unknown field of a role', title, 'titel: D', '4 roles.developer.titel: unknown field, did you mean "title"?'],
    [
      'an unknown field of a step',
      'verify:',
      'verfy:',
      '11 phases[0].steps[0].verfy: unknown field, did you mean "verify"?',
    ],
    [
      'an unknown field of a check',
      check,
      'verificaton: pass',
      '19 gates.ship.checks[0].verificaton: unknown field, did you mean "verification"?',
    ],
    [
      'a label that is none',
      title,
      'runs-on: "a label"',
      '4 roles.developer.runs-on: "a label" must be a label: letters, digits, dots, dashes and underscores',
    ],
    [
      'a label among others that is none',
      title,
      'runs-on: [gpu, 7]',
      '4 roles.developer.runs-on[1]: 7 must be a label',
    ],
    ['a list of no labels', title, 'runs-on: []', '4 roles.developer.runs-on: names no label'],
    ['a missing name', 'name: base\n', '', '1 name: is missing'],
    ['a name in capitals', 'name: base', 'name: Base', '1 name: "Base" must be a name'],
    ['a role whose name is none', '  reviewer: {', '  "re viewer": {', '5 roles.re viewer: "re viewer" must be a name'],
    ['a field called __proto__', title, '__proto__: 1', '4 : "__proto__" cannot be the name of a field'],
    [
      'an unknown role in a step',
      '- role: developer',
      '- role: develper',
      '9 phases[0].steps[0].role: there is no role "develper"; did you mean "developer"?',
    ],
    [
      'a role that every object has',
      '- role: developer',
      '- role: constructor',
      '9 phases[0].steps[0].role: there is no role "constructor"',
    ],
    [
      'an unknown reviewer',
      '[reviewer]',
      '[revewer]',
      '10 phases[0].steps[0].reviewers[0]: there is no role "revewer"; did you mean "reviewer"?',
    ],
    [
      'an unknown role among parallel steps',
      step,
      '      - parallel: [{ role: reviewer }, { role: x }]\n',
      '15 phases[1].steps[0].parallel[1].role: there is no role "x"',
    ],
    [
      'a reviewer that is the role itself',
      '[reviewer]',
      '[reviewer, developer]',
      '10 phases[0].steps[0].reviewers[1]: "developer" would review its own work',
    ],
    [
      'a reviewer who comes twice',
      '[reviewer]',
      '[reviewer, reviewer]',
      '10 phases[0].steps[0].reviewers[1]: "reviewer" is a reviewer of this step already',
    ],
    ['a step without role', '- role: developer\n        ', '- ', '9 phases[0].steps[0].role: is missing'],
    [
      'a step with a role and parallel ones',
      step,
      `${step}        parallel: []\n`,
      '16 phases[1].steps[0].parallel: unknown field',
    ],
    ['no parallel steps', step, '      - parallel: []\n', '15 phases[1].steps[0].parallel: has no steps'],
    ['a phase without steps', `steps:\n${step}`, 'steps: []\n', '14 phases[1].steps: has no steps'],
    ['an unknown gate', 'gate: ship', 'gate: shop', '12 phases[0].gate: there is no gate "shop"; did you mean "ship"?'],
    [
      'an unknown next phase',
      'gate: ship',
      'next: finsh',
      '12 phases[0].next: there is no phase "finsh"; did you mean "finish"?',
    ],
    ['two phases of one name', 'name: finish', 'name: build', '13 phases[1].name: there is a phase "build" already'],
    ['a phase called end', 'name: finish', 'name: end', '13 phases[1].name: "end" cannot be the name of a phase'],
    [
      'a phase that no other leads to',
      'gate: ship',
      'gate: ship\n    next: end',
      '14 phases[1]: no phase leads to "finish"',
    ],
    [
      'phases in a circle',
      'name: finish',
      'name: finish\n    next: build',
      '14 phases[1].next: the phases go in a circle, build -> finish -> build',
    ],
    [
      'a phase after itself',
      'name: finish',
      'name: finish\n    next: finish',
      '14 phases[1].next: the phases go in a circle, finish -> finish',
    ],
    [
      'a gate without check that opens by itself',
      `checks:\n      - ${check}\n    ${human}`,
      'approval: automatic',
      '17 gates.ship: "ship" is a gate without check',
    ],
    [
      'a gate that says nothing',
      `checks:\n      - ${check}\n    ${human}`,
      'checks: []',
      '17 gates.ship: "ship" is a gate without check',
    ],
    [
      'a phase that seems to have the gate of its name',
      'name: finish',
      'name: ship',
      '13 phases[1]: names no gate, but there is a gate "ship"',
    ],
    [
      'a check of nothing',
      check,
      'contains: x',
      '19 gates.ship.checks[0]: must have one of file, verification, reviews, objections',
    ],
    [
      'a text to contain without a file',
      check,
      `${check}\n        contains: x`,
      '19 gates.ship.checks[0]: contains can only go with "file"',
    ],
    [
      'a check of two things',
      check,
      `${check}\n        reviews: pass`,
      '19 gates.ship.checks[0]: has verification and reviews: write a check for each',
    ],
    [
      'a check that wants a failure',
      check,
      'verification: fail',
      '19 gates.ship.checks[0].verification: "fail" is none of pass',
    ],
    [
      'a quorum larger than the approvers',
      human,
      'approval: { kind: human, quorum: 2, approvers: [ada] }',
      '20 gates.ship.approval.quorum: is 2, but there are 1 approvers',
    ],
    [
      'an approver who comes twice',
      human,
      'approval: { kind: human, approvers: [ada, ada] }',
      '20 gates.ship.approval.approvers[1]: "ada" is an approver already',
    ],
    [
      'approvers of an automatic approval',
      human,
      'approval: { kind: automatic, approvers: [ada] }',
      '20 gates.ship.approval: is automatic, so it cannot have approvers',
    ],
    ['a field that comes twice', 'limits:', 'name: again\nlimits:', '21 : Map keys must be unique'],
  ])('%s', (_, from, to, problem) => {
    expect(wrongWith(changed(from, to))).toContainEqual(expect.stringContaining(problem));
  });

  it.each([
    ['nothing in it', '', 'base.yaml: must have fields: name, description, roles, phases, gates, limits'],
    ['a list in it', '- a', 'base.yaml:1: must have fields'],
    ['two documents in it', `${good}---\n${good}`, 'base.yaml:22: Source contains multiple documents'],
    ['more than 256 KiB', `${good}#${'x'.repeat(256 * 1024)}`, 'base.yaml: is longer than 262144 bytes'],
    ['brackets in brackets', `name: ${'['.repeat(20_000)}`, 'Maximum call stack size exceeded'],
  ])('a file with %s', (_, text, message) => {
    expect(refusal(text).message).toContain(message);
  });
});

describe('problems of a template', () => {
  it('are told all at once, those across fields too, in the order of the file', () => {
    const text = good
      .replace('timeout: 30m', 'timeout: soon')
      .replace('role: developer', 'role: develper')
      .replace('gate: ship', 'gate: shop')
      .replace('name: finish', 'name: build')
      .replace('attempts: 3', 'attempts: 0, usd: no');
    expect(wrongWith(text)).toEqual([
      expect.stringMatching(/^4 roles\.developer\.timeout: /),
      expect.stringMatching(/^9 phases\[0\]\.steps\[0\]\.role: /),
      expect.stringMatching(/^12 phases\[0\]\.gate: /),
      expect.stringMatching(/^13 phases\[1\]\.name: /),
      expect.stringMatching(/^21 limits\.attempts: /),
      expect.stringMatching(/^21 limits\.usd: /),
    ]);
    expect(refusal(text).message).toMatch(/^base\.yaml: 6 problems: line 4, roles\.developer\.timeout: .*; line 9, /);
  });

  it('are told with file and line when there is one', () => {
    const text = changed('attempts: 3', 'attempts: 0');
    expect(refusal(text).message).toMatch(/^base\.yaml:21: limits\.attempts: 0 must be/);
  });

  it('do not make others: an unknown next phase leaves no phase unreached', () => {
    expect(wrongWith(changed('gate: ship', 'gate: ship\n    next: finsh'))).toHaveLength(1);
  });
});

describe('a template is taken with a warning for', () => {
  it.each<[fault: string, from: string, to: string, warning: string]>([
    [
      'a role that is never used',
      '  reviewer:',
      '  idle: {}\n  reviewer:',
      'base.yaml:5: the role "idle" is never used',
    ],
    [
      'a gate that is never used',
      '  ship:',
      '  idle: { approval: human }\n  ship:',
      'base.yaml:17: the gate "idle" is never used',
    ],
    [
      'a look at a verification that nobody runs',
      'name: finish',
      'name: finish\n    gate: ship',
      'base.yaml:14: the gate "ship" looks at the verification, but no step of the phase has "verify"',
    ],
    [
      'a look at reviews that nobody writes',
      '        reviewers: [reviewer]\n        verify: [npm test]\n    gate: ship\n  - name: finish\n    steps:\n      - role: reviewer\ngates:\n  ship:\n    checks:\n      - verification: pass',
      '    gate: ship\n  - name: finish\n    steps:\n      - role: reviewer\ngates:\n  ship:\n    checks:\n      - reviews: pass',
      'base.yaml:10: the gate "ship" looks at reviews, but no step of the phase has reviewers',
    ],
  ])('%s', (_, from, to, warning) => {
    const warnings: string[] = [];
    readTemplate(changed(from, to), 'base.yaml', (message) => warnings.push(message));
    expect(warnings).toEqual([warning]);
  });

  it('nothing, where there is no fault', () => {
    const warnings: string[] = [];
    readTemplate(good, 'base.yaml', (message) => warnings.push(message));
    expect(warnings).toEqual([]);
  });
});
