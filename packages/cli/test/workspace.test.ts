import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { expectError, patchbay } from './command.ts';

const files = {
  'patchbay.yaml': `plugins:
  improver: { path: improver.mjs }
  broken: { path: broken.mjs }
workspaces:
  home:
    skills: [all]
  code-improver:
    prompt: Ours
`,
  'improver.mjs': `export default { name: 'improver', version: '1.0.0', provides: { workspace: () => ({
    folder: 'code-improver', config: { schedule: '0 4 * * *', prompt: 'Theirs' } }) } };`,
  'broken.mjs': `export default { name: 'broken', version: '1.0.0', provides: { workspace: () => ({
    folder: 'odd', config: { colour: 'red' } }) } };`,
};

describe('patchbay workspace', () => {
  it('list shows those of plugins and of the project, and what is wrong', () => {
    const { stdout, stderr, status } = patchbay(['workspace', 'list'], { cwd: folder(files) });
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toMatch(/^home +terminal:home +- +-$/m);
    expect(stdout).toMatch(/^code-improver +terminal:code-improver +- +0 4 \* \* \*$/m);
    expect(stdout).toMatch(/^problem with broken, workspace "odd": "colour": unknown field/m);
  });

  it('list says how to get one where there is none', () => {
    expect(patchbay(['workspace', 'list'], { cwd: folder({ 'patchbay.yaml': '' }) }).stdout).toMatch(/There are no/);
  });

  it('explain shows where each value comes from', () => {
    const { stdout } = patchbay(['workspace', 'explain', 'code-improver'], { cwd: folder(files) });
    expect(stdout).toMatch(/^prompt +"Ours" +the project +not "Theirs" of plugin "improver"$/m);
    expect(stdout).toMatch(/^schedule +"0 4 \* \* \*" +plugin "improver"/m);
    expect(stdout).toMatch(/^skills +- +default/m);
  });

  it('explain refuses one that is not there, with the nearest name', () => {
    const ended = patchbay(['workspace', 'explain', 'hom'], { cwd: folder(files) });
    expectError(ended, 2, 'WORKSPACE_UNKNOWN', /no workspace "hom", did you mean "home"/);
  });

  it('needs a project', () => {
    expectError(patchbay(['workspace', 'list'], { cwd: folder() }), 2, 'PROJECT_MISSING', /no project/);
  });
});
