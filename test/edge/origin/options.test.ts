/** What an origin may set for its connections: names, certificates, trust and deadlines. */
import { createHash } from 'node:crypto';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress } from '../../../core/net/address/index.ts';
import { connectionKey, namesOf, type Origin } from '../../../edge/origin/origin-address.ts';
import { certificate, ecKey, type KeyPair, pemOfKey } from '../../support/certificate.ts';
import { until } from '../../support/until.ts';
import { client, faultOf, listening, OK, request, seen, withOrigin } from './rig.ts';

const LOOPBACK = parseAddress('127.0.0.1')!;
const root = { name: 'Root', key: ecKey() };
const ca = certificate({ ...root, ca: true });
const clientKey = ecKey();
const clientCertificate = {
  chain: certificate({ name: 'edge', key: clientKey, issuer: root }),
  key: pemOfKey(clientKey),
};

const pinOf = ({ publicKey }: KeyPair): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

const key = ecKey();
const NAMED = { key: pemOfKey(key), cert: certificate({ name: 'a', key, issuer: root, dnsNames: ['name.test'] }) };
const SELF_SIGNED = { key: pemOfKey(key), cert: certificate({ name: 'a', key, from: -9, to: -1 }) };

interface Handshake {
  readonly name: string | false;
  readonly subject: string | undefined;
  readonly isResumed: boolean;
}

/** Outcomes of `count` requests, each on its own connection, and the handshakes of the origin. */
async function handshakes(
  server: TlsOptions,
  options: Partial<Origin>,
  count = 1,
): Promise<{ outcomes: string[]; handshakes: Handshake[] }> {
  const done: Handshake[] = [];
  const sockets = new Set<TLSSocket>();
  const listener = createServer({ ...server, ca }, (socket) => {
    sockets.add(socket);
    done.push({
      name: (socket as TLSSocket & { servername: string | false }).servername,
      subject: socket.getPeerX509Certificate()?.subject,
      isResumed: socket.isSessionReused(),
    });
    socket.on('data', () => socket.end(OK.replace('content-length', 'connection: close\r\ncontent-length')));
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  listener.on('tlsClientError', () => {});
  const port = await listening(listener as never, '127.0.0.1');
  const { fetch, close, counters } = client({});
  const origin: Origin = { host: '127.0.0.1', port, protocol: 'https', ...options };
  const outcomes: string[] = [];
  for (let i = 0; i < count; i++) {
    outcomes.push(await faultOf(seen(fetch(request(port, { origin })))));
    await until(() => counters.open === 0, 'closed');
  }
  await close();
  for (const socket of sockets) socket.destroy();
  listener.close();
  return { outcomes, handshakes: done };
}

const CASES: readonly (readonly [string, TlsOptions, Partial<Origin>, string])[] = [
  ['an authority of its own', NAMED, { trust: { ca }, serverName: 'name.test' }, 'none'],
  ['a server name that the certificate does not have', NAMED, { trust: { ca }, serverName: 'other.test' }, 'tls'],
  ['no server name', NAMED, { trust: { ca } }, 'tls'],
  ['another authority', NAMED, { trust: { ca: clientCertificate.chain }, serverName: 'name.test' }, 'tls'],
  ['the public authorities', NAMED, { serverName: 'name.test' }, 'tls'],
  ['a pinned key, whatever its certificate', SELF_SIGNED, { trust: { pins: [pinOf(key)] } }, 'none'],
  ['another pinned key', SELF_SIGNED, { trust: { pins: [pinOf(clientKey)] } }, 'tls'],
  ['no pin at all', SELF_SIGNED, { trust: { pins: [] } }, 'tls'],
  ['both, when the authority is another', SELF_SIGNED, { trust: { ca, pins: [pinOf(key)] } }, 'tls'],
  ['both, when the key is another', NAMED, { trust: { ca, pins: ['x'] }, serverName: 'name.test' }, 'tls'],
  ['an authority that is none', NAMED, { trust: { ca: 'no PEM' }, serverName: 'name.test' }, 'tls'],
  [
    'a key that does not belong to the chain',
    NAMED,
    { clientCertificate: { ...clientCertificate, key: NAMED.key } },
    'tls',
  ],
];
for (const [name, server, options, outcome] of CASES)
  test(`accepts or refuses by: ${name}`, async () =>
    assert.equal((await handshakes(server, options)).outcomes, [outcome]));

test('a server name is sent, and the address of the certificate does not stand in for it', async () => {
  const cert = certificate({ name: 'a', key, issuer: root, addresses: [LOOPBACK] });
  const { outcomes, handshakes: done } = await handshakes(
    { ...NAMED, cert },
    { trust: { ca }, serverName: 'name.test' },
  );
  assert.equal(outcomes, ['tls']);
  assert.equal((await handshakes(NAMED, { trust: { ca }, serverName: 'name.test' })).handshakes[0].name, 'name.test');
  assert.ok(done.length <= 1);
});

test('a client certificate', async () => {
  const server = { ...NAMED, requestCert: true, rejectUnauthorized: true };
  const options = { trust: { ca }, serverName: 'name.test', clientCertificate };
  const { outcomes, handshakes: done } = await handshakes(server, options);
  assert.equal([outcomes, done[0].subject], [['none'], 'CN=edge']);
  assert.equal((await handshakes(server, { ...options, clientCertificate: undefined })).outcomes, ['reset']);
});

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`${maxVersion}: a session with a pinned key is resumed`, async () => {
    const its = await handshakes({ ...SELF_SIGNED, maxVersion }, { trust: { pins: [pinOf(key)] } }, 2);
    assert.equal(its.outcomes, ['none', 'none']);
    assert.equal(
      its.handshakes.map(({ isResumed }) => isResumed),
      [false, true],
    );
  });

test('the Host of the origin in place of the visitor’s', () =>
  withOrigin(
    (socket) => socket.write(OK),
    async (origin, { fetch }) => {
      const { origin: to } = request(origin.port);
      await seen(fetch(request(origin.port, { origin: { ...to, hostHeader: 'inner.test:81' } })));
      assert.match(origin.received[0], '\r\nhost: inner.test:81\r\n');
      const bad = { origin: { ...to, hostHeader: 'a\r\nb: c' } };
      assert.match(await faultOf(fetch(request(origin.port, bad))), 'TypeError');
    },
  ));

test('a deadline of the origin for the head', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const { origin: to } = request(origin.port);
      assert.is(
        await faultOf(fetch(request(origin.port, { origin: { ...to, responseTimeoutMs: 50 } }))),
        'header-timeout',
      );
    },
  ));

test('connections are shared by origins with equal options only', () => {
  const origin: Origin = { host: 'a.test', port: 80, protocol: 'http' };
  const others: Partial<Origin>[] = [
    {},
    { version: 'h2c' },
    { hostHeader: 'b.test' },
    { serverName: 'b.test' },
    { clientCertificate },
    { trust: { ca } },
    { trust: { pins: [] } },
    { connectTimeoutMs: 1 },
    { responseTimeoutMs: 1 },
  ];
  const keys = others.map((options) => connectionKey({ ...origin, ...options }));
  assert.is(new Set(keys).size, others.length);
  assert.equal(
    keys,
    others.map((options) => connectionKey({ ...origin, ...options })),
  );
  assert.ok(keys.every((text) => text.length < 80 && !text.includes('BEGIN')));
});

test('names of an origin', () => {
  const origin: Origin = { host: 'a.test', port: 80, protocol: 'http' };
  assert.equal(namesOf(origin), ['a.test']);
  assert.equal(namesOf({ ...origin, hostHeader: 'B.test:81', serverName: 'a.test' }), ['a.test', 'b.test']);
});

test.run();
