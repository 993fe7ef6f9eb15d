/** Certificates of a cluster, as OpenSSL sees them in a handshake on both sides. */
import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAuthority, isDue, type Pair, signAgain, signNode } from '../../../core/cluster/authority.ts';
import { certificate, ecKey } from '../../support/certificate.ts';

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
  assert.ok(new X509Certificate(authority.certificate).ca);
  assert.not(read.ca);
});

const DAY = 86_400_000;
const daysOf = ({ validFrom, validTo }: X509Certificate): number => (Date.parse(validTo) - Date.parse(validFrom)) / DAY;

test('an authority is valid for two years, a node for one, and not for longer than its authority', async () => {
  const authority = await createAuthority();
  const own = new X509Certificate(authority.certificate);
  const node = new X509Certificate((await signNode(authority, 'a', ['192.0.2.1'])).certificate);
  assert.equal([daysOf(own), daysOf(node)], [730, 365]);
  const { now } = Date;
  Date.now = () => now() + 700 * DAY;
  try {
    const late = new X509Certificate(await signAgain(authority, 'a', node));
    assert.is(late.validTo, own.validTo);
    assert.ok(late.publicKey.equals(node.publicKey));
    assert.is(late.subjectAltName, node.subjectAltName);
  } finally {
    Date.now = now;
  }
});

test('a certificate is due at two thirds of its life, or if it lives for too long', async () => {
  const key = ecKey();
  const of = (from: number, to: number) => new X509Certificate(certificate({ name: 'a', key, from, to }));
  assert.not(isDue(of(-239, 121)));
  assert.ok(isDue(of(-241, 119)));
  assert.ok(isDue(of(-400, -1)), 'expired');
  assert.not(isDue(of(-1, 729)));
  assert.ok(isDue(of(-1, 20 * 365)), 'of an earlier version');
});

test.run();
