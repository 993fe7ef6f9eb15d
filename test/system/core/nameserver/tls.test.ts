/**
 * DNS over TLS (RFC 7858): handshakes, resumption, new certificates, limits shared with TCP, and
 * clients that misbehave.
 */

import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../../core/base/errors.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { COLUMN } from '../../../../core/nameserver/counters.ts';
import { proxyHeader } from '../../../../edge/http/transport/proxy-protocol.ts';
import { ask, byteOf, LIMITS, type Served, serve, V4, V6 } from '../../../core/nameserver/fixture.ts';
import { framed, PATIENCE_MS, StreamClient } from '../../../core/nameserver/stream-client.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { decodeMessage } from '../../../support/message.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const SHORT_MS = 400;
const folder = temporaryFolder('tls');
const files = { certificate: join(folder, 'dns.crt'), key: join(folder, 'dns.key') };

/**
 * Puts a new certificate in the place of the old one, as those do who renew it: both files are
 * replaced, the key first.
 */
function renew(name: string): void {
  const key = ecKey();
  for (const [path, text] of [
    [files.key, pemOfKey(key)],
    [files.certificate, certificate({ name, key, dnsNames: [name] })],
  ]) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
}

const test = suite<{ served: Served; port: number; open: TLSSocket[] }>('TLS');
let dial: (options?: ConnectionOptions) => TLSSocket;

test.before(async (context) => {
  renew('first.test');
  context.served = await serve({
    listen: [V4, V6],
    tls: { listen: [V4, V6], ...files },
    tcp: { ...LIMITS, idleTimeout: 60_000, queryTimeout: SHORT_MS, maxPerAddress: 20 },
    async *answerDeferred({ transport, address }) {
      for (let i = 0; i < 3; i++) yield Buffer.from(`${transport} ${address} ${i}`);
    },
  });
  context.port = context.served.tlsListen[0].port;
  context.open = [];
  dial = (options = {}) => {
    const socket = connect({
      port: context.port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['dot'],
      ...options,
    });
    socket.on('error', () => {});
    context.open.push(socket);
    return socket;
  };
});
test.after.each(({ open }) => {
  for (const socket of open.splice(0)) socket.destroy();
});
test.after(async ({ served }) => {
  await served.stop();
  assert.equal(
    served.log.filter((line) => /exception|DNS thread|PRIVATE/.test(line)),
    [],
  );
});

const nameOf = (socket: TLSSocket): string => socket.getPeerCertificate().subject.CN as string;

test('queries are answered in order, over TLS 1.3 and 1.2, IPv4 and IPv6, with ALPN and without', async ({
  served,
}) => {
  for (const [options, protocol, alpn] of [
    [{}, 'TLSv1.3', 'dot'],
    [{ maxVersion: 'TLSv1.2' as const }, 'TLSv1.2', 'dot'],
    [{ ALPNProtocols: [] }, 'TLSv1.3', false],
    [{ host: '::1', port: served.tlsListen[1].port }, 'TLSv1.3', 'dot'],
  ] as const) {
    const socket = dial(options);
    const client = new StreamClient(socket);
    await once(socket, 'secureConnect');
    assert.equal([socket.getProtocol(), socket.alpnProtocol], [protocol, alpn]);
    socket.write(framed(ask('host1'), ask('largest', { type: TYPE.TXT }), ask('host3')));
    const responses = await client.answers(3);
    assert.is(byteOf(responses[0]), 1);
    assert.is(decodeMessage(responses[1]).answer.length, 247);
    assert.is(byteOf(responses[2]), 3);
  }
});

test('TLS 1.1 and other protocols of ALPN are refused', async () => {
  for (const options of [
    { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const,
    { ALPNProtocols: ['h2'] },
  ]) {
    const socket = dial(options);
    const established = await Promise.race([
      once(socket, 'secureConnect').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(() => false),
    ]);
    assert.is(established, false);
  }
});

test('a session is resumed by a later connection', async () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = dial({ maxVersion });
    let session: Buffer | null = null;
    first.on('session', (bytes: Buffer) => {
      session = bytes;
    });
    const client = new StreamClient(first);
    first.write(framed(ask('host1')));
    await client.answers(1);
    await until(() => session !== null, 'a session', PATIENCE_MS);
    const second = dial({ maxVersion, session: session! });
    await once(second, 'secureConnect');
    assert.is(second.isSessionReused(), true);
    const again = new StreamClient(second);
    second.write(framed(ask('host2')));
    assert.is(byteOf((await again.answers(1))[0]), 2);
  }
});

test('deferred messages have their transport and are answered in order', async () => {
  const socket = dial();
  const client = new StreamClient(socket);
  socket.write(framed(ask('host1'), ask('host1', { type: TYPE.AXFR }), ask('host2')));
  const responses = await client.answers(5);
  assert.equal(
    responses.slice(1, 4).map((response) => Buffer.from(response).toString()),
    ['tls 127.0.0.1 0', 'tls 127.0.0.1 1', 'tls 127.0.0.1 2'],
  );
  assert.equal([byteOf(responses[0]), byteOf(responses[4])], [1, 2]);
});

test('stalled handshakes and non-TLS connections are closed; others are served meanwhile', async ({ port }) => {
  const silent = connectTcp(port, '127.0.0.1');
  const plain = connectTcp(port, '127.0.0.1');
  const closed = [silent, plain].map((connection) => {
    connection.on('error', () => {});
    connection.resume();
    return once(connection, 'close');
  });
  plain.write(framed(ask('host1')));
  silent.write(Uint8Array.of(22, 3, 1));
  const socket = dial();
  const client = new StreamClient(socket);
  socket.write(framed(ask('host7')));
  assert.is(byteOf((await client.answers(1))[0]), 7);
  await Promise.all(closed);
});

test('an incomplete query, and a client that does not read, are closed', async () => {
  const slow = dial();
  const partial = new StreamClient(slow);
  slow.write(Uint8Array.of(0, 200, 1));
  const deaf = dial();
  await once(deaf, 'secureConnect');
  deaf.pause();
  deaf.write(framed(...Array.from({ length: 400 }, () => ask('largest', { type: TYPE.TXT }))));
  await partial.cut();
  const taken = new StreamClient(deaf);
  await sleep(4 * SHORT_MS);
  deaf.resume();
  await taken.cut();
  assert.ok(taken.responses.length < 400);
});

test('connections of one client count over TCP and TLS together', async ({ served }) => {
  const tcp = Array.from({ length: 15 }, () => new StreamClient(served.port));
  for (const { socket } of tcp) socket.write(framed(ask('host1')));
  for (const client of tcp) await client.answers(1);
  const tls = Array.from({ length: 5 }, () => dial());
  await Promise.all(tls.map((socket) => once(socket, 'secureConnect')));
  const surplus = [new StreamClient(served.port), new StreamClient(dial())];
  for (const client of surplus) client.socket.write(framed(ask('host1')));
  for (const client of surplus) await client.cut();
  assert.equal(
    surplus.map(({ responses }) => responses.length),
    [0, 0],
  );
  for (const { socket } of tcp) socket.destroy();
  for (const socket of tls) socket.destroy();
  await places();
});

/**
 * Resolves when the places of closed connections are given back, which the server may notice later
 * than we.
 */
async function places(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = dial();
    const client = new StreamClient(socket);
    socket.write(framed(ask('host1')));
    await until(() => client.responses.length > 0 || client.closed || client.ended, 'an answer or an end', PATIENCE_MS);
    socket.destroy();
    if (client.responses.length > 0) return;
    await sleep(20);
  }
  throw new Error('the places were not given back');
}

test('a new certificate is used without dropping a connection; an unusable one is not used', async ({ served }) => {
  const before = dial();
  await once(before, 'secureConnect');
  assert.is(nameOf(before), 'first.test');
  writeFileSync(files.certificate, 'no certificate');
  process.emit('SIGHUP');
  await until(() => served.log.some((line) => line.includes('unusable')), 'a warning', PATIENCE_MS);
  const still = dial();
  await once(still, 'secureConnect');
  assert.is(nameOf(still), 'first.test');
  renew('second.test');
  process.emit('SIGHUP');
  await until(
    () => served.log.some((line) => line.includes('certificate for DNS over TLS reloaded')),
    'a new certificate',
    PATIENCE_MS,
  );
  const client = new StreamClient(before);
  before.write(framed(ask('host1')));
  assert.is(byteOf((await client.answers(1))[0]), 1);
  const seen = new Set<string>();
  while (!seen.has('second.test')) {
    const next = dial();
    await once(next, 'secureConnect');
    seen.add(nameOf(next));
    next.destroy();
    assert.ok(seen.size < 3);
  }
});

test('a session outlives the certificate', async ({ served }) => {
  served.log.splice(0);
  const before = dial();
  const ticket = once(before, 'session') as Promise<[Buffer]>;
  const client = new StreamClient(before);
  before.write(framed(ask('host1')));
  await client.answers(1);
  const [session] = await ticket;
  renew('second.test');
  process.emit('SIGHUP');
  await until(
    () => served.log.some((line) => line.includes('certificate for DNS over TLS reloaded')),
    'a new certificate',
    PATIENCE_MS,
  );
  const { fingerprint256 } = new X509Certificate(readFileSync(files.certificate));
  for (let seen = '', tries = 0; seen !== fingerprint256; tries++) {
    assert.ok(tries < 1000, 'the new certificate is used');
    const fresh = dial();
    await once(fresh, 'secureConnect');
    seen = fresh.getPeerCertificate().fingerprint256;
    fresh.destroy();
  }
  const again = dial({ session });
  await once(again, 'secureConnect');
  assert.is(again.isSessionReused(), true);
});

test('an unreadable certificate file keeps the previous one, and is logged', async ({ served }) => {
  served.log.splice(0);
  rmSync(files.key);
  symlinkSync(files.key, files.key);
  process.emit('SIGHUP');
  assert.match(served.log.join(), /unusable.*ELOOP/);
  const still = dial();
  await once(still, 'secureConnect');
  assert.is(nameOf(still), 'second.test');
  rmSync(files.key);
  renew('second.test');
  process.emit('SIGHUP');
  await until(
    () => served.log.some((line) => line.includes('certificate for DNS over TLS reloaded')),
    'a new certificate',
    PATIENCE_MS,
  );
});

test('too many: stalled handshakes are closed', async () => {
  const served = await serve({ tls: { listen: [V4], ...files }, tcp: { ...LIMITS, maxConnections: 2 } });
  const { port } = served.tlsListen[0];
  const silent = [0, 1].map(() => connectTcp(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((connection) => once(connection, 'connect')));
  await sleep(1200);
  const socket = dial({ port });
  const client = new StreamClient(socket);
  socket.write(framed(ask('host6')));
  assert.is(byteOf((await client.answers(1))[0]), 6);
  for (const item of silent) item.destroy();
  await served.stop();
});

test('too many of some clients: others are served at once, and TCP has connections of its own', async () => {
  const served = await serve({ tls: { listen: [V4], ...files }, tcp: { ...LIMITS, maxConnections: 8 } });
  const { port } = served.tlsListen[0];
  const silent = Array.from({ length: 6 }, (_, i) => {
    const to = { port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (i % 2)}` };
    return connectTcp(to).on('error', () => {});
  });
  await Promise.all(silent.map((connection) => once(connection, 'connect')));
  const socket = dial({ port });
  const client = new StreamClient(socket);
  socket.write(framed(ask('host6')));
  assert.is(byteOf((await client.answers(1))[0]), 6);
  const plain = new StreamClient(served.port);
  plain.socket.write(framed(ask('host7')));
  assert.is(byteOf((await plain.answers(1))[0]), 7);
  assert.not(socket.destroyed);
  for (const item of [...silent, socket, plain.socket]) item.destroy();
  await served.stop();
});

test('a thread that dies restarts with the newest certificate', async ({ served }) => {
  const worker = served.threads.get('tls')!;
  void worker.terminate();
  await once(worker, 'exit');
  await until(() => served.listening && served.threads.get('tls') !== worker, 'a new thread', PATIENCE_MS);
  const socket = dial();
  await once(socket, 'secureConnect');
  assert.is(nameOf(socket), 'second.test');
  served.log.splice(0);
});

test('without a matching certificate it does not start, with the reason', async () => {
  for (const tls of [
    { listen: [V4], certificate: undefined, key: undefined },
    { listen: [V4], certificate: files.certificate, key: join(folder, 'none') },
    { listen: [V4], certificate: files.key, key: files.key },
  ]) {
    const error = await serve({ tls }).then(
      () => null,
      (caught: unknown) => caught,
    );
    assert.instance(error, ConfigError);
    assert.match((error as Error).message, /tls_certificate/);
  }
});

test('kdig queries over TLS', async ({ port }) => {
  const run = promisify(execFile);
  try {
    await run('kdig', ['--version']);
  } catch (error) {
    if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw error;
    return;
  }
  const { stdout } = await run('kdig', ['+tls', '@127.0.0.1', '-p', String(port), 'host8.example.test', 'A']);
  assert.match(stdout, /TLS session \(TLS1\.3\)/);
  assert.match(stdout, /192\.0\.2\.8/);
});

test('a proxy states its client before the handshake or after it', async () => {
  const served = await serve({ tls: { listen: [V4], ...files }, proxies: ['127.0.0.2/32'], queryLog: 1 });
  const port = served.tlsListen[0].port;
  const header = proxyHeader(
    'v2',
    { address: Uint8Array.of(192, 0, 2, 7), port: 1 },
    { address: Uint8Array.of(192, 0, 2, 8), port: 2 },
  );
  const ends: StreamClient[] = [];
  const open = async (before: Uint8Array, after: Uint8Array, name: string): Promise<StreamClient> => {
    const raw = connectTcp({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    raw.write(before);
    const client = new StreamClient(connect({ socket: raw, rejectUnauthorized: false, ALPNProtocols: ['dot'] }));
    client.socket.write(Buffer.concat([after, framed(ask(name))]));
    ends.push(client);
    return client;
  };
  const none = new Uint8Array(0);
  assert.equal((await (await open(header, none, 'host1')).answers(1)).map(byteOf), [1]);
  assert.equal((await (await open(none, header, 'host2')).answers(1)).map(byteOf), [2]);
  for (const name of ['host1', 'host2'])
    await until(() => served.log.some((line) => line.includes(`name=${name}.`) && line.includes('client=192.0.2.7 ')));
  for (const wrong of [await open(none, none, 'host3'), await open(Buffer.from('PROXY UNKNOWN\r\n'), none, 'host3')]) {
    await wrong.cut();
    assert.is(wrong.responses.length, 0);
  }
  await until(() => served.counters.sum('tls', COLUMN.badProxyHeader) === 2);
  for (const { socket } of ends) socket.destroy();
  await served.stop();
});

test.run();
