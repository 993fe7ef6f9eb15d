/** HTTP/2 over TLS: chosen by ALPN, refused without it, and tunnels that use HTTP/1.1. */
import { createHash } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMultiplexer } from '../../../../edge/origin/http2/multiplexer.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { client, faultOf, listening, request, seen } from '../rig.ts';

const key = ecKey();
const pem = { key: pemOfKey(key), cert: certificate({ name: 'a', key }) };
const pins = [
  createHash('sha256')
    .update(key.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64'),
];
const originOf = (port: number) =>
  ({ host: '127.0.0.1', port, protocol: 'https', version: '2', trust: { pins } }) as const;

test('HTTP/2 by ALPN, with a pinned key', async () => {
  const server = createSecureServer(pem, (incoming, reply) => reply.end(incoming.httpVersion));
  const port = await listening(server as never, '127.0.0.1');
  const { fetch, close, counters } = client({ multiplex: createMultiplexer });
  const responses = await Promise.all([1, 2, 3].map(() => seen(fetch(request(port, { origin: originOf(port) })))));
  assert.equal(
    responses.map(({ body }) => body),
    ['2.0', '2.0', '2.0'],
  );
  assert.is(counters.connections, 1);
  await close();
  server.close();
});

test('an origin that offers HTTP/1.1 alone', async () => {
  const server = createTlsServer({ ...pem, ALPNProtocols: ['http/1.1'] }, (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  const port = await listening(server as never, '127.0.0.1');
  const { fetch, close } = client({ multiplex: createMultiplexer });
  assert.is(await faultOf(fetch(request(port, { origin: originOf(port) }))), 'tls');
  await close();
  server.close();
});

test('a client without HTTP/2 refuses, and asks for a tunnel over HTTP/1.1', async () => {
  const server = createTlsServer({ ...pem, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'));
  });
  const port = await listening(server as never, '127.0.0.1');
  const { fetch, close } = client();
  const origin = originOf(port);
  assert.is(await faultOf(fetch(request(port, { origin }))), 'refused');
  assert.is((await seen(fetch(request(port, { origin, protocol: 'websocket' })))).status, 403);
  await close();
  server.close();
});

test.run();
