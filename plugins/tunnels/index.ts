import { definePlugin } from 'patchbay-sdk';
import { cloudflared } from './cloudflared.ts';
import { tailscale } from './tailscale.ts';

/** Tailscale. */
export const tailscalePlugin = definePlugin({
  name: 'tunnel-tailscale',
  version: '1.0.0',
  provides: { tunnel: () => tailscale },
});

/** Cloudflare Tunnel. */
export const cloudflaredPlugin = definePlugin({
  name: 'tunnel-cloudflare',
  version: '1.0.0',
  provides: { tunnel: () => cloudflared },
});

export { cloudflared, tailscale };
