/** The files of a plugin package, by name; those ending in `.sh` may be run. */
export type Package = Readonly<Record<string, string>>;

/** Calls an address for each event. */
export function posting(url: string): Package {
  const hooks = ['turn:accepted', 'turn:rejected'].map((event) => ({
    event,
    type: 'http',
    url,
    headers: { 'x-life': '${CRASH_LIFE}' },
  }));
  return { 'agentxchain-plugin.json': JSON.stringify({ name: 'post', version: '1.0.0', description: 'posts', hooks }) };
}

/** The manifest of a package of ours that may write notes and know in which life of the host it does. */
function portable(name: string, part: { permissions?: object; [more: string]: unknown }): string {
  const permissions = { files: { write: ['notes'] }, env: ['CRASH_LIFE'], ...part.permissions };
  return JSON.stringify({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version: '1.0.0',
    extensions: { 'dev.patchbay': { ...part, permissions } },
  });
}

/** A module in a process of its own that adds a line to `notes/module` for each accepted turn. */
export const noting: Package = {
  'plugin.json': portable('note', { module: './plugin.js', hooks: ['turn:accepted'] }),
  'plugin.js': `
    import { appendFileSync } from 'node:fs';
    const note = (_, { delivery }) => appendFileSync('notes/module', process.env.CRASH_LIFE + ' ' + delivery + '\\n');
    export default { name: 'note', version: '1.0.0', hooks: { 'turn:accepted': note } };`,
};

/** A module in a process of its own that has each accepted turn sent to an address. */
export function asking(address: string): Package {
  const { host } = new URL(address);
  const part = { module: './plugin.js', hooks: ['turn:accepted'], permissions: { net: [host] } };
  return {
    'plugin.json': portable('ask', part),
    'plugin.js': `
    const ask = ({ event_id }) => ({ verdict: 'ok', send: { url: '${address}', body: { event_id } } });
    export default { name: 'ask', version: '1.0.0', hooks: { 'turn:accepted': ask } };`,
  };
}

/** A script that adds a line to `notes/script` for each rejected turn. */
export const scripting: Package = {
  'plugin.json': portable('shell', { hooks: [{ event: 'turn:rejected', type: 'script', run: './note.sh' }] }),
  'note.sh': '#!/bin/sh\necho "$CRASH_LIFE $PATCHBAY_DELIVERY_KEY" >> notes/script\n',
};

/**
 * A blocking process of the 0.1 form that refuses each run with an odd number, after a while. It adds a line to
 * `notes/process` when it is asked, without the life of the host: its form has no permissions.
 */
export const guarding: Package = {
  'agentxchain-plugin.json': JSON.stringify({
    schema_version: '0.1',
    name: 'guard',
    version: '1.0.0',
    hooks: { after_dispatch: [{ type: 'process', command: ['./guard.sh'], mode: 'blocking' }] },
  }),
  'guard.sh': `#!/bin/sh
echo "0 $PATCHBAY_DELIVERY_KEY" >> notes/process
cat > /dev/null
sleep 0.1
case "$AGENTXCHAIN_RUN_ID" in
  *[13579]) echo '{"verdict":"block","message":"odd"}' ;;
  *) echo '{"verdict":"allow"}' ;;
esac
`,
};
