import { openHost } from 'patchbay-host';
import type { HookName } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd, version }) => {
  const event = args[0] as HookName;
  const host = await openHost({ cwd, version });
  try {
    const hook = host.kernel.hook(event);
    const { row } = hook;
    const order = hook.explain();
    const fails = row.failure === 'closed' ? 'closed: a failure refuses' : 'soft: a failure stops nobody';
    const head = `${event} (${row.kind}; fails ${fails})`;
    const lines = order.map(({ plugin, handler, because }, i) => [`${i + 1}.`, plugin, handler, because]);
    const none = host.project === undefined ? 'no project here, so no plugins' : 'no plugin implements it';
    return {
      json: { event, order },
      text: `${head}\n${lines.length > 0 ? columns(lines) : none}`,
    };
  } finally {
    await host.close();
  }
};
