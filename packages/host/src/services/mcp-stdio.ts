/** Connects its standard input and output to the tools of a turn: `mcp-stdio SOCKET TOKEN`. It ends when either side does. */
import { connect } from 'node:net';
import { basename, dirname } from 'node:path';

const [socketPath = '', token = ''] = process.argv.slice(2);
// The path of a socket must be short; that of a folder need not be.
process.chdir(dirname(socketPath));
const socket = connect(basename(socketPath));
socket.on('error', (error) => {
  process.stderr.write(`the tools of the turn cannot be reached: ${error.message}\n`);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
socket.write(`${token}\n`);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
