import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloudflared, tailscale } from '../index.ts';

const path = process.env['PATH'];
let bin = '';

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'patchbay-tunnels-'));
  // Nothing but what a test puts there, and a shell to run it.
  process.env['PATH'] = bin;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(bin, { recursive: true, force: true });
});

function program(name: string, prints: string, exit = 0, more = ''): void {
  const script = `#!/bin/sh\n${more}\n/bin/cat <<'END'\n${prints}\nEND\nexit ${exit}\n`;
  writeFileSync(join(bin, name), script, { mode: 0o755 });
}

const status = (fields: object) => JSON.stringify({ Version: '1.80.2', BackendState: 'Running', ...fields });

describe('tailscale', async () => {
  it('is not available where there is no such program', async () => {
    expect(tailscale.isAvailable()).toBe(false);
    expect(await tailscale.isConnected()).toBe(false);
    expect(await tailscale.statusSummary()).toBe('Tailscale is not installed');
  });

  it('is connected when its backend runs', async () => {
    program('tailscale', status({ Self: { DNSName: 'box.tail1234.ts.net.', Online: true } }));
    expect(tailscale.isAvailable()).toBe(true);
    expect(await tailscale.isConnected()).toBe(true);
    expect(await tailscale.statusSummary()).toBe('Tailscale is connected as box.tail1234.ts.net');
  });

  it.each(['Stopped', 'NeedsLogin', 'Starting', 'NoState'])(
    'is not connected when its backend is %s',
    async (BackendState) => {
      program('tailscale', status({ BackendState, Self: null }), 1);
      expect(await tailscale.isConnected()).toBe(false);
      expect(await tailscale.statusSummary()).toBe(`Tailscale is not connected: ${BackendState}`);
    },
  );

  it('is not connected when this machine is offline, and says what ails it', async () => {
    program('tailscale', status({ Self: { DNSName: 'box.', Online: false }, Health: ['no network'] }));
    expect(await tailscale.isConnected()).toBe(false);
    expect(await tailscale.statusSummary()).toBe('Tailscale is offline as box (no network)');
  });

  it.each([
    ['no JSON', 'Tailscale is stopped.', 1, /ended with 1: Tailscale is stopped\./],
    ['another JSON', '[]', 0, /says nothing of its state/],
    ['nothing', '', 0, /printed no JSON/],
  ])('raises nothing when it prints %s', async (_, prints, exit, summary) => {
    program('tailscale', prints, exit);
    expect(await tailscale.isConnected()).toBe(false);
    expect(await tailscale.statusSummary()).toMatch(summary);
  });

  it('raises nothing when it hangs', async () => {
    program('tailscale', '{}', 0, '/bin/sleep 60');
    expect(await tailscale.statusSummary()).toMatch(/did not answer within 5 s/);
  }, 20_000);
});

describe('cloudflared', async () => {
  const tunnel = (fields: object) => ({ id: '1', name: 'home', deleted_at: '0001-01-01T00:00:00Z', ...fields });

  it('is not available where there is no such program', async () => {
    expect(cloudflared.isAvailable()).toBe(false);
    expect(await cloudflared.statusSummary()).toBe('cloudflared is not installed');
  });

  it('is connected when one of its tunnels has connections', async () => {
    const up = tunnel({ name: 'office', connections: [{ colo_name: 'fra03' }, { colo_name: 'ams01' }] });
    program('cloudflared', JSON.stringify([tunnel({ connections: [] }), up]));
    expect(await cloudflared.isConnected()).toBe(true);
    expect(await cloudflared.statusSummary()).toBe('cloudflared is connected: office (2)');
  });

  it.each([
    ['no tunnels', 'null', /no connected tunnel \(of 0\)/],
    ['tunnels without connections', JSON.stringify([tunnel({ connections: null })]), /no connected tunnel \(of 1\)/],
    [
      'a deleted tunnel',
      JSON.stringify([tunnel({ deleted_at: '2026-01-01T00:00:00Z', connections: [{}] })]),
      /no connected tunnel \(of 0\)/,
    ],
    ['something else', '{"a":1}', /printed no list/],
  ])('is not connected with %s', async (_, prints, summary) => {
    program('cloudflared', prints);
    expect(await cloudflared.isConnected()).toBe(false);
    expect(await cloudflared.statusSummary()).toMatch(summary);
  });

  it('says when nobody is logged in', async () => {
    const said = 'echo "Cannot determine default origin certificate path" >&2';
    program('cloudflared', '', 1, said);
    expect(await cloudflared.statusSummary()).toMatch(/Cannot determine default origin certificate/);
  });
});
