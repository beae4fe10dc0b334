import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { checkedMounts } from '../../src/containers/mount-rules.ts';

const files = { 'patchbay.yaml': '', 'patchbay.lock': '', '.patchbay/ledger.db': '', 'data/a': '', 'sub/.keep': '' };
const people = { '.ssh/id': '', '.aws/credentials': '', '.config/gcloud/x': '', 'notes/a': '', '.netrc': '' };

function mount(from: string, to = '/data', home = folder(people), project = folder(files)) {
  return () => checkedMounts(project, [{ from, to, readOnly: true }], home);
}

it('a source is absolute, of the project, or of the home; its links are followed', () => {
  const project = folder(files);
  const home = folder(people);
  symlinkSync(join(project, 'data'), join(project, 'link'));
  const all = ['data', join(project, 'sub'), '~/notes', './link'].map((from) => ({ from, to: '/x/', readOnly: false }));
  expect(checkedMounts(project, all, home)).toEqual(
    [join(project, 'data'), join(project, 'sub'), join(home, 'notes'), join(project, 'data')].map((from) => {
      return { from, to: '/x', readOnly: false };
    }),
  );
});

it.each([
  ['the state of the host', '.patchbay', /no agent may have it/],
  ['something in it', '.patchbay/ledger.db', /it lies in .*\.patchbay/],
  ['the project file', 'patchbay.yaml', /no agent may have it/],
  ['the lock file', './patchbay.lock', /no agent may have it/],
  ['the project, which holds them', '.', /it holds .*\.patchbay/],
  ['the way around', 'data/../.patchbay', /no agent may have it/],
  ['keys', '~/.ssh', /no agent may have it/],
  ['a key', '~/.ssh/id', /it lies in .*\.ssh/],
  ['a home', '~', /it holds /],
  ['what holds credentials', '~/.config', /it holds .*gcloud/],
  ['a file of passwords', '~/.netrc', /no agent may have it/],
  ['everything', '/', /it holds /],
  ['devices', '/dev', /no agent may have it/],
  ['what is not there', 'nowhere', /there is no .*nowhere/],
])('%s cannot be mounted', (_, from, why) => {
  expect(mount(from)).toThrow(expect.objectContaining({ code: 'MOUNT_REFUSED', message: expect.stringMatching(why) }));
});

it('a link to what no agent may have is no way to it', () => {
  const project = folder(files);
  mkdirSync(join(project, 'deep'));
  symlinkSync(join(project, '.patchbay'), join(project, 'deep/link'));
  expect(mount('deep/link', '/data', folder(people), project)).toThrow(/no agent may have it/);
});

it.each([
  ['/', /no absolute path/],
  ['data', /no absolute path/],
  ['/proc/self', /system's own/],
  ['/a/../dev', /system's own/],
])('nothing is mounted at %s', (to, why) => {
  expect(mount('data', to)).toThrow(why);
});
