import { Containers } from '../../src/containers/index.ts';
import { openHost } from '../../src/host.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';
import { builtins, workspaceWith } from './settings.ts';

// Plays a host that is killed while a program of a workspace runs.
const [project = '', cwd = '', runtime = '', image = '', line = ''] = process.argv.slice(2);
const { kernel } = await openHost({ cwd: project, version: '0.0.0', builtins });
const settings = { runtime, image: image === '' ? null : image };
const containers = new Containers({ kernel, project, settings });
await containers.start();
const job = { argv: ['sh', '-c', line], cwd, env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 600_000 };
const surrounded = await containers.surround({ run_id: 'r1', turn_id: 't1' }, workspaceWith(), job);
// Some tests kill its launcher first.
await new Launcher({ project }).run(surrounded).catch(() => undefined);
setInterval(() => undefined, 60_000);
