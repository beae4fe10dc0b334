import { spawn } from 'node:child_process';
import { Launcher } from '../../src/sandbox/launcher.ts';

// Plays a host that is killed: runs a job and has a process of its own adopted, until then.
const [project = '', tempDir = '', namespace = '', seconds = '', adopted = ''] = process.argv.slice(2);
const launcher = new Launcher({ project, tempDir, namespace: namespace === 'off' ? 'off' : 'auto' });
const own = spawn('sleep', [adopted], { detached: true, stdio: 'ignore' });
launcher.adopt(own.pid ?? 0);
await launcher.run({
  argv: ['/bin/bash', '-c', `trap '' TERM HUP; sleep ${seconds} & echo "$FILE" > ${project}/started; wait`],
  cwd: project,
  env: { PATH: process.env['PATH'] ?? '' },
  files: { FILE: '{}' },
  timeoutMs: 86_400_000,
});
