import { writeFileSync } from 'node:fs';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';
import { listHosts } from '../../src/hosts/list.ts';
import { findTemplate } from '../../src/runs/template/find.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await PostgresServer.start();
  url = await server.database();
});
afterAll(() => server.remove());

const template = `name: spread
roles:
  trainer: { core: quick, runs-on: gpu }
  packer: { core: quick }
  judge: { core: quick }
phases:
  - { name: build, steps: [{ parallel: [{ role: trainer, reviewers: [judge] }, { role: packer }] }] }
  - { name: ship, steps: [{ role: packer }, { role: trainer }] }
`;
const project = 'engine: postgres\nruns:\n  roles:\n    packer: { runs-on: [macos, arm64] }\n';

/** A host in a folder of its own that serves, and notes which turns it played. */
async function serving(played: string[], ...labels: string[]) {
  const cwd = folder({ 'patchbay.yaml': project, 'patchbay/templates/spread.yaml': template });
  const name = labels.join() || 'plain';
  const run = async ({ key, result_file, role }: TurnWork) => {
    played.push(`${name} ${role}`);
    const status = key.includes('judge') ? { status: 'approved' } : {};
    writeFileSync(result_file, JSON.stringify({ summary: 'Done', ...status }));
  };
  const core = definePlugin({
    name: 'core',
    version: '1.0.0',
    provides: { agentCore: () => ({ name: 'quick', run }) },
  });
  const env = { PATH: process.env['PATH'], PATCHBAY_DATABASE_URL: url, PATCHBAY_LABELS: labels[0] };
  const host = await openHost({ cwd, version: '1.0.0', builtins: [core], env, labels: labels.slice(1) });
  onTestFinished(() => host.close());
  const { service } = await host.serve({ port: 0, webhookPort: 0, name });
  return {
    service,
    request: () => service.runs.request({ template: findTemplate('spread', cwd), goal: 'Go', by: 'ada' }),
  };
}

describe('hosts with labels on one database', () => {
  it('play the roles that run on them, and no others, until all runs are done', { timeout: 180_000 }, async () => {
    const played: string[] = [];
    const plain = await serving(played);
    const runs = await Promise.all(Array.from({ length: 4 }, () => plain.request()));
    await serving(played, 'gpu');
    await serving(played, 'macos', 'arm64');
    expect((await listHosts(url)).map(({ labels }) => labels)).toEqual([[], ['gpu'], ['arm64', 'macos']]);
    await eventually(async () => {
      for (const run of runs) expect((await plain.service.ledger.run(run))?.status).toBe('completed');
    });
    const by = Map.groupBy(played, (one) => one.split(' ')[1]);
    expect(by.get('trainer')).toEqual(Array(8).fill('gpu trainer'));
    expect(by.get('packer')).toEqual(Array(8).fill('macos,arm64 packer'));
    expect(by.get('judge')).toHaveLength(4);
    expect(await plain.service.ledger.verify()).toMatchObject({ ok: true });
  });
});
