/** Certificates of a cluster, as OpenSSL sees them in a handshake on both sides. */
import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAuthority, type Pair, signNode } from '../../../core/cluster/authority.ts';

/** Null when both sides are content, else what one of them says. */
async function handshake(ca: Pair, server: Pair, client: Pair | null, servername: string): Promise<string | null> {
  const listener = createServer({
    ...{ ca: ca.certificate, cert: server.certificate, key: server.key },
    ...{ requestCert: true, rejectUnauthorized: true },
  });
  let refused: string | null = null;
  listener.on('tlsClientError', ({ message }) => {
    refused = message;
  });
  listener.on('secureConnection', (socket: TLSSocket) => socket.end('welcome').on('error', () => {}));
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const { port } = listener.address() as AddressInfo;
  const own = client === null ? {} : { cert: client.certificate, key: client.key };
  const output = await new Promise<string | null>((done) => {
    const socket = connect({ port, host: '127.0.0.1', ca: ca.certificate, servername, ...own });
    socket.on('data', () => done(null));
    socket.on('error', ({ message }) => done(message));
    socket.on('close', () => done(refused ?? 'closed'));
  });
  await new Promise((done) => listener.close(done));
  return output;
}

test('nodes of one authority trust each other, by name; strangers and those without a certificate are refused', async () => {
  const authority = await createAuthority();
  const [a, b] = [await signNode(authority, 'a'), await signNode(authority, 'b', ['node-b.example.net', '192.0.2.2'])];
  assert.is(await handshake(authority, b, a, 'b'), null);
  assert.is(await handshake(authority, b, a, 'node-b.example.net'), null);
  assert.match(String(await handshake(authority, b, a, 'a')), /does not match/);
  assert.ok(await handshake(authority, b, null, 'b'));
  const other = await createAuthority();
  assert.ok(await handshake(authority, b, await signNode(other, 'a'), 'b'));
  const stranger = await signNode(other, 'b');
  assert.ok(await handshake(authority, stranger, a, 'b'));
  const read = new X509Certificate(b.certificate);
  assert.is(read.subjectAltName, 'DNS:b, DNS:node-b.example.net, IP Address:192.0.2.2');
  assert.ok(Date.parse(read.validTo) > Date.now() + 10 * 365 * 86_400_000);
  assert.ok(new X509Certificate(authority.certificate).ca);
  assert.not(read.ca);
});

test.run();
