/**
 * `node idle-load.js PORT CONNECTIONS`: opens them one after the other with a request on each,
 * prints "open", and keeps them until its input ends.
 */
import { ResponseReader, requestBytes } from './one-request.ts';
import * as openssl from './openssl.ts';
import { HOST } from './requests.ts';

const [port, count] = process.argv.slice(2).map(Number);
const context = openssl.clientContext();
const request = requestBytes('/small');
const buffer = Buffer.alloc(16_384);

for (let i = 0; i < count; i++) {
  const ssl = openssl.openSsl(context, openssl.connectSocket(port), HOST);
  if (openssl.connectTls(ssl) !== 1) throw new Error(`handshake ${i} failed`);
  openssl.write(ssl, request, request.length);
  for (const reader = new ResponseReader(); !reader.isWhole; ) {
    const length = openssl.read(ssl, buffer, buffer.length);
    if (length <= 0) throw new Error(`connection ${i} was closed`);
    reader.take(buffer.subarray(0, length));
  }
}
process.stdout.write('open\n');
process.stdin.on('end', () => process.exit()).resume();
