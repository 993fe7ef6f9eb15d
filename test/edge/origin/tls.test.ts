/**
 * TLS to origins: whose certificate is taken, by which name it is asked for, and that nothing old
 * is spoken.
 */

import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { parseAddress } from '../../../core/net/address/index.ts';
import type { Lookup } from '../../../core/net/resolver/resolver.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { until } from '../../support/until.ts';
import { bodyText, client, faultOf, listening, OK, request, seen } from './rig.ts';

const NAME = 'origin.test';
const root = { name: 'Root', key: ecKey() };
const ca = certificate({ ...root, ca: true });
const LOOPBACK = parseAddress('127.0.0.1')!;

/** Every name is loopback. */
const lookup: Lookup = async (_, type) =>
  type === TYPE.A
    ? { kind: 'addresses', addresses: [LOOPBACK], ttl: 60, chain: [] }
    : { kind: 'none', missing: false, ttl: 60, chain: [] };

type Options = Omit<Parameters<typeof certificate>[0], 'name' | 'key'>;

function identity(options: Options, issuer: typeof root | undefined = root): SecureContextOptions {
  const key = ecKey();
  return { key: pemOfKey(key), cert: certificate({ name: 'origin.test', key, issuer, ...options }) };
}

interface TlsOrigin {
  readonly port: number;
  readonly names: (string | false)[];
  readonly protocols: (string | null)[];
  readonly alpn: (string | false | null)[];
  resumed: number;
  readonly sockets: Set<TLSSocket>;
  close(): void;
}

async function tlsOrigin(options: SecureContextOptions, answer = OK): Promise<TlsOrigin> {
  const sockets = new Set<TLSSocket>();
  const its: Omit<TlsOrigin, 'port' | 'close'> = { names: [], protocols: [], alpn: [], resumed: 0, sockets };
  const server = createServer({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    sockets.add(socket);
    its.names.push((socket as TLSSocket & { servername: string | false }).servername);
    its.protocols.push(socket.getProtocol());
    its.alpn.push(socket.alpnProtocol);
    if (socket.isSessionReused()) its.resumed++;
    socket.on('data', () => socket.write(answer));
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  const port = await listening(server as never, '127.0.0.1');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return Object.assign(its, { port, close });
}

/** What comes of one request; the origin's host is a name or an address. */
async function ask(
  options: SecureContextOptions,
  {
    host = NAME,
    addresses = undefined as readonly string[] | undefined,
    serverName = 'site.test',
    ca: its = ca as string | undefined,
  } = {},
): Promise<{ outcome: string; names: (string | false)[]; protocols: (string | null)[]; alpn: unknown[] }> {
  const origin = await tlsOrigin(options);
  const { fetch, close } = client({ lookup, ca: its });
  const outcome = await faultOf(
    seen(
      fetch(request(origin.port, { origin: { host, addresses, port: origin.port, protocol: 'https' }, serverName })),
    ),
  );
  await close();
  origin.close();
  return { outcome, names: origin.names, protocols: origin.protocols, alpn: origin.alpn };
}

test("the origin's name as the server name: HTTP/1.1, TLS 1.3", async () => {
  const { outcome, names, protocols, alpn } = await ask(identity({ dnsNames: [NAME] }));
  assert.is(outcome, 'none');
  assert.equal([names, protocols, alpn], [[NAME], ['TLSv1.3'], ['http/1.1']]);
});

test('TLS 1.2 is accepted', async () => {
  const { outcome, protocols } = await ask({ ...identity({ dnsNames: [NAME] }), maxVersion: 'TLSv1.2' });
  assert.equal([outcome, protocols], ['none', ['TLSv1.2']]);
});

const SEVERAL = { host: '127.0.0.9', addresses: ['127.0.0.9', '127.0.0.1'] };
const TAKEN: readonly (readonly [string, Options, NonNullable<Parameters<typeof ask>[1]>])[] = [
  ['a wildcard', { dnsNames: ['*.origin.test'] }, { host: `a.${NAME}` }],
  ['an address: by the visitor’s host', { dnsNames: ['site.test'] }, { host: '127.0.0.1' }],
  ['an address: by itself', { addresses: [LOOPBACK] }, { host: '127.0.0.1' }],
  ['several addresses: by the visitor’s host', { dnsNames: ['site.test'] }, SEVERAL],
  ['several addresses: by one of them', { addresses: [LOOPBACK] }, SEVERAL],
];
for (const [name, options, where] of TAKEN)
  test(`accepted: ${name}`, async () => assert.is((await ask(identity(options), where)).outcome, 'none'));

test("an origin with an address gets the visitor's host as the server name", async () => {
  assert.equal((await ask(identity({ dnsNames: ['site.test'] }), { host: '127.0.0.1' })).names, ['site.test']);
});

const REFUSED: readonly (readonly [string, SecureContextOptions, { host?: string; ca?: string }])[] = [
  ['of another name', identity({ dnsNames: ['other.test'] }), {}],
  ['of the visitor’s host, when the origin has a name', identity({ dnsNames: ['site.test'] }), {}],
  ['of the address, when the origin has a name', identity({ addresses: [LOOPBACK] }), {}],
  ['with the name as common name alone', identity({}), {}],
  ['of another address', identity({ addresses: [parseAddress('127.0.0.9')!] }), { host: '127.0.0.1' }],
  ['signed by itself', identity({ dnsNames: [NAME] }, undefined), {}],
  ['of a root that is not configured', identity({ dnsNames: [NAME] }, { name: 'Other', key: ecKey() }), {}],
  ['that has run out', identity({ dnsNames: [NAME], from: -9, to: -1 }), {}],
  ['that is not valid yet', identity({ dnsNames: [NAME], from: 1, to: 9 }), {}],
  [
    'with TLS 1.1 alone',
    { ...identity({ dnsNames: [NAME] }), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
    {},
  ],
];
for (const [name, options, where] of REFUSED)
  test(`refused: ${name}`, async () => {
    const { outcome } = await ask(name === 'signed by itself' ? selfSigned() : options, where);
    assert.is(outcome, 'tls');
  });

function selfSigned(): SecureContextOptions {
  const key = ecKey();
  return { key: pemOfKey(key), cert: certificate({ name: NAME, key, dnsNames: [NAME] }) };
}

test('without the operator’s roots its origins are refused', async () => {
  const origin = await tlsOrigin(identity({ dnsNames: [NAME] }));
  const { fetch, close } = client({ lookup });
  const to = { origin: { host: NAME, port: origin.port, protocol: 'https' } as const };
  assert.is(await faultOf(fetch(request(origin.port, to))), 'tls');
  await close();
  origin.close();
});

test('an origin that speaks no TLS, or nothing at all', async () => {
  const { createServer: plain } = await import('node:net');
  for (const [says, fault] of [
    ['HTTP/1.1 400 Bad\r\n\r\n', 'tls'],
    ['', 'connect-timeout'],
  ]) {
    const server = plain((socket) => {
      socket.on('error', () => {});
      if (says !== '') socket.end(says);
    });
    const port = await listening(server, '127.0.0.1');
    const { fetch, close, counters } = client({ lookup, ca, limits: { tlsTimeout: says === '' ? 300 : 10_000 } });
    assert.is(await faultOf(fetch(request(port, { origin: { host: NAME, port, protocol: 'https' } }))), fault);
    assert.is(counters.open, 0);
    await close();
    server.close();
  }
});

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`${maxVersion}: connections are kept, and sessions resumed by new ones`, async () => {
    const origin = await tlsOrigin({ ...identity({ dnsNames: [NAME] }), maxVersion });
    const { fetch, close, counters } = client({ lookup, ca });
    const to = { origin: { host: NAME, port: origin.port, protocol: 'https' } as const };
    await seen(fetch(request(origin.port, to)));
    await seen(fetch(request(origin.port, to)));
    assert.is(counters.connections, 1);
    for (const socket of origin.sockets) socket.destroy();
    await until(() => counters.open === 0, 'closed');
    await seen(fetch(request(origin.port, to)));
    assert.equal([counters.connections, origin.resumed], [2, 1]);
    await close();
    origin.close();
  });

test('a POST over TLS is sent once more when the origin had closed before it arrived', async () => {
  const origin = await tlsOrigin(identity({ dnsNames: [NAME] }));
  const { fetch, close, counters } = client({ lookup, ca });
  const toOrigin = { origin: { host: NAME, port: origin.port, protocol: 'https' } } as const;
  await seen(fetch(request(origin.port, toOrigin)));
  for (const socket of origin.sockets) socket.destroy();
  assert.is((await seen(fetch(request(origin.port, { ...toOrigin, method: 'POST' })))).body, 'ok');
  assert.equal([counters.connections, counters.retries], [2, 1]);
  await close();
  origin.close();
});

test('a large body over TLS', async () => {
  const size = 5_000_000;
  const origin = await tlsOrigin(
    identity({ dnsNames: [NAME] }),
    `HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${'x'.repeat(size)}`,
  );
  const { fetch, close } = client({ lookup, ca });
  const { body } = await fetch(request(origin.port, { origin: { host: NAME, port: origin.port, protocol: 'https' } }));
  await new Promise((done) => setTimeout(done, 100));
  assert.is(await bodyText(body), 'x'.repeat(size));
  await close();
  origin.close();
});

test.run();
