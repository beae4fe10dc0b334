import { describe, expect, it } from 'vitest';
import { changed, wrongWith } from './template-fixture.ts';

const title = 'title: Developer';
const writes = '"src/**"';
const check = 'verification: pass';
const human = 'approval: human';

describe('values in a template: it is refused for', () => {
  it.each<[fault: string, from: string, to: string, problem: string]>([
    [
      'a blank verification command',
      '[npm test]',
      '[npm test, " "]',
      '11 phases[0].steps[0].verify[1]: must be a command, not blank',
    ],
    [
      'an unknown severity',
      check,
      'objections: hihg',
      '19 gates.ship.checks[0].objections: "hihg" is none of none, low, medium, high, blocking; did you mean "high"?',
    ],
    [
      'a file above the workspace',
      check,
      'file: docs/../../x',
      '19 gates.ship.checks[0].file: "docs/../../x" leads out of the workspace',
    ],
    [
      'an absolute file',
      check,
      'file: /etc/passwd',
      '19 gates.ship.checks[0].file: "/etc/passwd" must be relative to the workspace',
    ],
    [
      'a file of another system',
      check,
      'file: C:\\x',
      '19 gates.ship.checks[0].file: "C:\\\\x" must be relative to the workspace',
    ],
    ['a folder in the place of a file', check, 'file: docs/', '19 gates.ship.checks[0].file: "docs/" is a folder'],
    [
      'a bad regular expression',
      check,
      '{ file: x, matches: "a(" }',
      '19 gates.ship.checks[0].matches: "a(" is no regular expression',
    ],
    [
      'an unknown approval',
      human,
      'approval: humans',
      '20 gates.ship.approval: "humans" is none of automatic, human, credentialed, policy; did you mean "human"?',
    ],
    [
      'a quorum of nobody',
      human,
      'approval: { kind: human, quorum: 0 }',
      '20 gates.ship.approval.quorum: 0 must be a whole number from 1 to 100',
    ],
    [
      'a bad expiry',
      human,
      'approval: { kind: human, expires: 3 days }',
      '20 gates.ship.approval.expires: "3 days" must be a duration',
    ],
    [
      'a duration without unit',
      '30m',
      '30',
      '4 roles.developer.timeout: 30 must be a duration like 90s, 30m, 8h or 3d',
    ],
    ['a duration of nothing', '30m', '0s', '4 roles.developer.timeout: "0s" must be a duration'],
    [
      'a turn of a month',
      '30m',
      '30d',
      '4 roles.developer.timeout: "30d" must be a duration like 90s, 30m, 8h or 3d, longer than nothing and at most 7d',
    ],
    [
      'a glob that leads out',
      writes,
      '"src/../../**"',
      '4 roles.developer.writes[0]: "src/../../**" leads out of the workspace',
    ],
    ['an absolute glob', writes, '"/**"', '4 roles.developer.writes[0]: "/**" must be relative to the workspace'],
    [
      'a glob that begins with "./", which matches nothing',
      writes,
      '"./src/**"',
      '4 roles.developer.writes[0]: "./src/**" has a part that is empty or "."',
    ],
    ['a glob of a folder, which matches nothing', writes, '"src/"', '4 roles.developer.writes[0]: "src/" is a folder'],
    [
      'a bracket that is not closed',
      writes,
      '"src/[ab"',
      '4 roles.developer.writes[0]: "src/[ab" has a bracket or brace',
    ],
    ['a brace that is not closed', writes, '"{a,b"', '4 roles.developer.writes[0]: "{a,b" has a bracket or brace'],
    ['a glob that takes out', writes, '"!src/x"', '4 roles.developer.writes[0]: "!src/x" begins with "!"'],
    [
      'a glob that costs exponential time',
      writes,
      '"+(a|aa)+(a|aa)b"',
      '4 roles.developer.writes[0]: "+(a|aa)+(a|aa)b" has a pattern in parentheses',
    ],
    ['a glob of many stars', writes, '"*a*a*a*b"', '4 roles.developer.writes[0]: "*a*a*a*b" has more than 2 stars'],
    [
      'a glob that stands for a million',
      writes,
      '"{1..1000000}"',
      '4 roles.developer.writes[0]: "{1..1000000}" has a range',
    ],
    [
      'a glob that stands for very many',
      writes,
      `"${'{a,b}'.repeat(7)}"`,
      `4 roles.developer.writes[0]: "${'{a,b}'.repeat(7)}" stands for more than 64 globs`,
    ],
    ['an alias, such as a star without quotes', writes, '*.ts', '4 : "*.ts" is an alias'],
    [
      'settings that are no JSON',
      title,
      'with: { most: [.inf] }',
      '4 roles.developer.with: holds a number that JSON cannot',
    ],
    ['no attempts', 'attempts: 3', 'attempts: 0', '21 limits.attempts: 0 must be a whole number from 1 to 100'],
    ['half an attempt', 'attempts: 3', 'attempts: 1.5', '21 limits.attempts: 1.5 must be a whole number'],
    ['a budget of nothing', 'attempts: 3', 'usd: 0', '21 limits.usd: must be a number of dollars, more than 0'],
    ['a budget without end', 'attempts: 3', 'usd: .inf', '21 limits.usd: must be a number of dollars'],
    [
      'no turns at the same time',
      'attempts: 3',
      'parallel: 0',
      '21 limits.parallel: 0 must be a whole number from 1 to 64',
    ],
    ['a tag of YAML', title, 'title: !!binary aGk=', '4 : Unresolved tag'],
  ])('%s', (_, from, to, problem) => {
    expect(wrongWith(changed(from, to))).toContainEqual(expect.stringContaining(problem));
  });
});
