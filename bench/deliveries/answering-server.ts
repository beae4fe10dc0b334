/** A process with an HTTP server that answers every request with a verdict; tells its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const verdict = JSON.stringify({ verdict: 'ok', message: 'fine' });
const server = createServer((request, response) => {
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(verdict)).resume();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
