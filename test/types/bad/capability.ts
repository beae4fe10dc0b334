import { definePlugin } from 'patchbay-sdk';

export default definePlugin({
  name: 'capabilities',
  version: '1.0.0',
  provides: {
    skills: () => 'skills', // wrong: Type 'string' is not assignable
    agentCore: () => ({ name: 'core', module: 7 }), // wrong: Type 'number' is not assignable to type 'string'
    serviceTools: () => ({ echo: { description: 'Echo', inputSchema: {}, handler: () => 'echo' } }), // wrong: Type 'string' is not assignable
    workspace: async () => ({ folder: 1, config: {} }), // wrong: Type 'number' is not assignable to type 'string'
    mcpServers: () => ({ name: 'one', port: '80' }), // wrong: Type 'string' is not assignable to type 'number'
  },
});
