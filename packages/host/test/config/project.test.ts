import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProject } from 'patchbay-host';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';

describe('a project', () => {
  const text = `# My project
plugins:
  notes:
    path: plugins/notes.ts
  guard:
    path: ./guard.mjs
    enabled: false
    config:
      forbidden: production
      levels: [1, 2]
`;

  it('is read from patchbay.yaml: the plugins in their order, with what is left out filled in', () => {
    const dir = folder({ 'patchbay.yaml': text });
    expect(findProject(dir)).toMatchObject({
      dir,
      file: join(dir, 'patchbay.yaml'),
      plugins: [
        { name: 'notes', path: join(dir, 'plugins/notes.ts'), enabled: true, config: {} },
        {
          name: 'guard',
          path: join(dir, 'guard.mjs'),
          enabled: false,
          config: { forbidden: 'production', levels: [1, 2] },
        },
      ],
    });
  });

  it('says which core plays a role, and on hosts with which labels, the one without the other too', () => {
    const roles = 'a: { core: script, runs-on: gpu }\n    b: { runs-on: [gpu, macos.15] }\n    c: { core: manual }\n';
    const dir = folder({ 'patchbay.yaml': `runs:\n  roles:\n    ${roles}` });
    expect(findProject(dir)?.runs).toMatchObject({
      roles: { a: { core: 'script', with: {} }, c: { core: 'manual', with: {} } },
      runsOn: { a: ['gpu'], b: ['gpu', 'macos.15'] },
    });
    expect(Object.keys(findProject(dir)?.runs.roles ?? {})).toEqual(['a', 'c']);
  });

  it.each([
    ['a: { runs-on: "a label" }', /:3: "runs.roles.a.runs-on": "a label" must be a label/],
    ['a: { runs-on: [gpu, 7] }', /:3: "runs.roles.a.runs-on": 7 must be a label/],
    ['a: { runson: gpu }', /:3: "runs.roles.a.runson": unknown field, did you mean "runs-on"\?/],
    ['a: { runs-on: gpu, with: {} }', /"runs.roles.a.core": must be the name of an agent core/],
    ['a: {}', /"runs.roles.a.core": must be the name of an agent core/],
  ])('is refused where a role says %s', (role, message) => {
    const dir = folder({ 'patchbay.yaml': `runs:\n  roles:\n    ${role}\n` });
    expect(() => findProject(dir)).toThrow(
      expect.objectContaining({ code: 'PROJECT_INVALID', message: expect.stringMatching(message) }),
    );
  });

  it('is found from a folder inside it', () => {
    const dir = folder({ 'patchbay.yaml': text, 'a/b/c/file.txt': '' });
    expect(findProject(join(dir, 'a/b/c'))?.dir).toBe(dir);
  });

  it('is the nearest one upward', () => {
    const dir = folder({ 'patchbay.yaml': text, 'inner/patchbay.yaml': '', 'inner/deep/file.txt': '' });
    expect(findProject(join(dir, 'inner/deep'))).toMatchObject({
      dir: join(dir, 'inner'),
      file: join(dir, 'inner/patchbay.yaml'),
      plugins: [],
    });
  });

  it('is none where there is no project file', () => {
    expect(findProject(folder())).toBeUndefined();
  });

  it('is found from a folder that does not exist any more', () => {
    const dir = folder({ 'patchbay.yaml': text });
    expect(findProject(join(dir, 'gone/away'))?.dir).toBe(dir);
  });

  it.each([[''], ['# nothing yet\n'], ['plugins:\n'], ['plugins: {}\n'], ['\uFEFFplugins:\r\n  # later\r\n']])(
    'may be without plugins: %j',
    (content) => {
      expect(findProject(folder({ 'patchbay.yaml': content }))?.plugins).toEqual([]);
    },
  );

  it('may have an empty configuration, as somebody has who made all of it comments', () => {
    const dir = folder({ 'patchbay.yaml': 'plugins:\n  notes:\n    path: notes.ts\n    config:\n      # level: 1\n' });
    expect(findProject(dir)?.plugins[0]?.config).toEqual({});
  });

  it('may have a path with dots in it that stays inside', () => {
    const dir = folder({ 'patchbay.yaml': 'plugins:\n  notes:\n    path: a/../..notes/./notes.ts\n' });
    expect(findProject(dir)?.plugins[0]?.path).toBe(join(dir, '..notes/notes.ts'));
  });
});

describe('a wrong project file is refused with the file, the line and what is wrong', () => {
  const nested = 'plugins:\n  notes:\n    path: notes.ts\n';

  it.each<[string, string, number, RegExp]>([
    ['a bracket that is not closed', 'plugins: [\n', 2, /flow sequence/i],
    ['a colon too much', 'plugins:\n  notes: path: x\n', 2, /nested mappings/i],
    ['a tab', 'plugins:\n\tnotes: {}\n', 2, /tab/i],
    ['a name that is there twice', 'plugins:\n  a: { path: a.ts }\n  a: { path: b.ts }\n', 3, /unique/i],
    ['two documents', 'plugins: {}\n---\nplugins: {}\n', 2, /multiple documents/i],
    ['a star that means something in YAML', 'plugins:\n  notes:\n    path: *.ts\n', 3, /alias/i],
    ['a list', '- notes\n', 1, /must hold fields, as in "plugins:"/],
    ['a text', 'notes\n', 1, /must hold fields, as in "plugins:"/],
    ['an unknown field', '# mine\nplugin: x\n', 2, /"plugin": unknown field, did you mean "plugins"\?/],
    ['an unknown field that holds fields', 'plugin:\n  notes:\n    path: x\n', 1, /"plugin": unknown field/],
    ['another unknown field', `${nested}agents:\n`, 4, /"agents": unknown field, known are .*plugins/],
    ['plugins as a list', 'plugins: [notes]\n', 1, /"plugins": must be an object by name/],
    ['plugins as a text', 'plugins: notes\n', 1, /"plugins": must be an object by name/],
    ['a plugin without anything', 'plugins:\n  notes:\n', 2, /"plugins\.notes": must have a "path"/],
    ['a plugin as a text', 'plugins:\n  notes: notes.ts\n', 2, /"plugins\.notes": must have a "path"/],
    ['a plugin as a list', 'plugins:\n  notes: [notes.ts]\n', 2, /"plugins\.notes": must have a "path"/],
    ['a plugin without a path', 'plugins:\n  notes: { grants: [] }\n', 2, /"plugins\.notes": needs a "path"/],
    ['a number as path', 'plugins:\n  notes: { path: 7 }\n', 2, /"plugins\.notes(\.path)?": needs a "path"/],
    [
      'a misspelt field of a plugin',
      `${nested}    enable: false\n`,
      4,
      /"plugins\.notes\.enable": unknown field, did you mean "enabled"\?/,
    ],
    [
      'a misspelt field that holds fields',
      `${nested}    confg:\n      a: 1\n`,
      4,
      /"plugins\.notes\.confg": unknown field, did you mean "config"\?/,
    ],
    ['a text as switch', `${nested}    enabled: yes\n`, 4, /"plugins\.notes\.enabled": must be true or false/],
    [
      'a path that leaves the project',
      'plugins:\n  notes:\n    path: ../notes.ts\n',
      3,
      /"plugins\.notes\.path": must stay inside the project/,
    ],
    [
      'a path that leaves it on a detour',
      'plugins:\n  notes:\n    path: a/../../notes.ts\n',
      3,
      /must stay inside the project/,
    ],
    ['an absolute path', 'plugins:\n  notes:\n    path: /tmp/notes.ts\n', 3, /must stay inside the project/],
    ['the project itself as path', 'plugins:\n  notes:\n    path: .\n', 3, /must stay inside the project/],
    ['an empty path', "plugins:\n  notes:\n    path: ''\n", 3, /must stay inside the project/],
  ])('%s', (_, text, line, message) => {
    const dir = folder({ 'patchbay.yaml': text });
    const file = join(dir, 'patchbay.yaml');
    expect(() => findProject(dir)).toThrow(
      expect.objectContaining({ code: 'PROJECT_INVALID', file, message: expect.stringMatching(message) }),
    );
    expect(() => findProject(dir)).toThrow(`${file}:${line}: `);
  });

  it('says it in one line', () => {
    const dir = folder({ 'patchbay.yaml': 'plugins: [\n  a\n  b: c\n' });
    expect(() => findProject(dir)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('\n') }));
  });

  it('knows a neighbour whose name begins like that of the project for outside', () => {
    const dir = folder();
    mkdirSync(join(dir, 'app'));
    writeFileSync(join(dir, 'app/patchbay.yaml'), 'plugins:\n  notes:\n    path: ../app-2/notes.ts\n');
    expect(() => findProject(join(dir, 'app'))).toThrow('must stay inside the project');
  });

  it('also when the file cannot be read at all', () => {
    const dir = folder({ 'patchbay.yaml/file.txt': '' });
    expect(() => findProject(dir)).toThrow(
      expect.objectContaining({
        code: 'PROJECT_INVALID',
        file: join(dir, 'patchbay.yaml'),
        message: expect.stringContaining(`cannot read ${join(dir, 'patchbay.yaml')}: `),
      }),
    );
  });

  it('also when aliases would make it huge', () => {
    const bombs = Array.from({ length: 12 }, (_, i) => `b${i}: &b${i} [${`*b${i - 1}, `.repeat(i === 0 ? 0 : 9)}x]`);
    const dir = folder({ 'patchbay.yaml': `${bombs.join('\n')}\n` });
    expect(() => findProject(dir)).toThrow(expect.objectContaining({ code: 'PROJECT_INVALID' }));
  });
});
