/** `node node-server.js PORT CERTIFICATE KEY`: the same answers by node:http2. */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { BODIES, type Path } from './requests.ts';

const [port, certificate, key] = process.argv.slice(2);
const bodies = new Map(Object.entries(BODIES).map(([path, length]) => [path, Buffer.alloc(length, 'x')]));
const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key) });
server.on('stream', (stream, headers) => {
  const body = bodies.get(headers[':path'] as Path);
  stream.on('error', () => {});
  if (body === undefined) {
    stream.respond({ ':status': 404 }, { endStream: true });
    return;
  }
  stream.respond({
    ':status': 200,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'content-length': body.length,
  });
  stream.end(body);
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
