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

/** A module in a process of its own that adds a line to `notes/module` for each accepted turn. */
export const noting: Package = {
  'plugin.json': JSON.stringify({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name: 'note',
    version: '1.0.0',
    extensions: {
      'dev.patchbay': {
        module: './plugin.js',
        hooks: ['turn:accepted'],
        permissions: { files: { write: ['notes'] }, env: ['CRASH_LIFE'] },
      },
    },
  }),
  'plugin.js': `
    import { appendFileSync } from 'node:fs';
    const note = (_, { delivery }) => appendFileSync('notes/module', process.env.CRASH_LIFE + ' ' + delivery + '\\n');
    export default { name: 'note', version: '1.0.0', hooks: { 'turn:accepted': note } };`,
};

/** A script that adds a line to `notes/script` for each rejected turn. */
export const scripting: Package = {
  'agentxchain-plugin.json': JSON.stringify({
    name: 'shell',
    version: '1.0.0',
    description: 'writes',
    hooks: [{ event: 'turn:rejected', type: 'script', run: './note.sh' }],
  }),
  // A document-form script is granted no variables: it reads the life from a file.
  'note.sh': '#!/bin/sh\nread -r life < life\necho "$life $PATCHBAY_DELIVERY_KEY" >> notes/script\n',
};

/** A blocking process of the 0.1 form that thinks for a while and refuses each run with an odd number. */
export const guarding: Package = {
  'agentxchain-plugin.json': JSON.stringify({
    schema_version: '0.1',
    name: 'guard',
    version: '1.0.0',
    hooks: { after_dispatch: [{ type: 'process', command: ['./guard.sh'], mode: 'blocking' }] },
  }),
  'guard.sh': `#!/bin/sh
read -r life < life
echo "$life $PATCHBAY_DELIVERY_KEY" >> notes/process
cat > /dev/null
sleep 0.1
case "$AGENTXCHAIN_RUN_ID" in
  *[13579]) echo '{"verdict":"block","message":"odd"}' ;;
  *) echo '{"verdict":"allow"}' ;;
esac
`,
};
