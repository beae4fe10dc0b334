import { openHost } from 'patchbay-host';
import { type HookName, type HookTable, hooks, PatchbayError, suggestion } from 'patchbay-sdk';
import { isPaceEvent, paceEvents } from 'patchbay-sdk/pace';
import type { Run } from '../command.ts';
import { viewText } from '../pace-view.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, cwd, version }) => {
  const asked = args[0] as string;
  const view = isPaceEvent(asked) ? paceEvents[asked] : undefined;
  const name = view === undefined ? asked : (view.on[0] as string);
  if (!Object.hasOwn(hooks, name)) {
    const known = [...Object.keys(hooks), ...Object.keys(paceEvents)];
    throw new PatchbayError('HOOK_UNKNOWN', `there is no hook "${name}"; ${suggestion(name, known)}`, { hook: name });
  }
  const host = await openHost({ cwd, version });
  try {
    const all = host.kernel.hook(name as HookName).explain();
    // Handlers of PACE are called by the event that they are for.
    const order = view === undefined ? all : all.filter(({ handler }) => handler.split('#')[0] === asked);
    const lines = order.map(({ plugin, handler, because }, i) => [`${i + 1}.`, plugin, handler, because]);
    const none = host.project === undefined ? 'no project here, so no plugins' : 'no plugin implements it';
    const json = view === undefined ? { event: asked, order } : { event: asked, on: view.on, role: view.role, order };
    return { json, text: `${headOf(asked)}\n${lines.length > 0 ? columns(lines) : none}` };
  } finally {
    await host.close();
  }
};

function headOf(asked: string): string {
  if (isPaceEvent(asked)) return `${asked} (PACE: ${viewText(paceEvents[asked])}; a failure stops nobody)`;
  const { kind, failure } = (hooks as HookTable)[asked] as HookTable[string];
  const fails = failure === 'closed' ? 'closed: a failure refuses' : 'soft: a failure stops nobody';
  return `${asked} (${kind}; fails ${fails})`;
}
