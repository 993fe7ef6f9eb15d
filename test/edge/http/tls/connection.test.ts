/** What a connection tells of what it was given, and what it holds while others come and go. */

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DescriptorLoop } from '../../../../core/os/descriptor-loop.ts';
import { loadLibc } from '../../../../core/os/libc.ts';
import { nextTicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import type { TlsCertificate } from '../../../../edge/http/tls/certificate.ts';
import type { TlsConnection, TlsOwner } from '../../../../edge/http/tls/connection.ts';
import { TlsLoop } from '../../../../edge/http/tls/loop.ts';
import { clearPlaces, sharePlaces } from '../../../../edge/http/tls/places.ts';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import { freePort } from '../../../support/ports.ts';
import { until } from '../../../support/until.ts';
import { dialTls } from '../server/rig.ts';

const test = suite('edge/http/tls/connection');
/** Bytes that no buffers of a pair of sockets take. */
const LARGE = 64 << 20;
const key = ecKey();
const pem: TlsCertificate = { key: pemOfKey(key), cert: certificate({ name: 'a.test', key, dnsNames: ['a.test'] }) };

class Owner implements TlsOwner {
  connection: TlsConnection | null = null;
  received = '';
  onReceived: (() => void) | undefined;
  readonly heard: string[] = [];
  readonly certificates: (serverName: string) => TlsCertificate | undefined;

  constructor(certificates: (serverName: string) => TlsCertificate | undefined) {
    this.certificates = certificates;
  }

  readonly policy = null;
  readonly awaitsProxyHeader = false;
  admitSource(): boolean {
    return true;
  }
  readonly share = null;
  begun(): void {}
  admit(): boolean {
    return true;
  }
  certificateFor(serverName: string): TlsCertificate | undefined {
    return this.certificates(serverName);
  }
  certificateFailed(error: unknown): void {
    this.heard.push(String(error));
  }
  handOver(fd: number): void {
    loadLibc().close(fd);
    this.heard.push('handed over');
  }
  secured(connection: TlsConnection): void {
    this.connection = connection;
    connection.start({
      onBytes: (bytes) => {
        this.received += bytes.toString('latin1');
        this.onReceived?.();
      },
      onEnd: () => this.heard.push('end'),
      onClose: () => this.heard.push('close'),
    });
  }
  failed(reason: string): void {
    this.heard.push(reason);
  }
  closed(): void {
    this.heard.push('closed');
  }
}

/** A loop whose connections are those of `owners`, in their order. */
async function withLoop(
  use: (port: number, owners: Owner[]) => Promise<void>,
  certificates: (serverName: string) => TlsCertificate | undefined = () => pem,
  kept = 100,
): Promise<void> {
  const places = sharePlaces(100, kept);
  const owners: Owner[] = [];
  const descriptors = new DescriptorLoop(places.fds);
  const loop = new TlsLoop({
    loop: descriptors,
    places,
    ticketLifetime: 3600,
    tickets: nextTicketKeys(null),
    accept: () => {
      const owner = new Owner(certificates);
      owners.push(owner);
      return owner;
    },
  });
  const port = await freePort();
  loop.listen(loadLibc().openTcp({ address: '127.0.0.1', family: 4, port }, { sharesPort: false }));
  try {
    await use(port, owners);
  } finally {
    for (const { connection } of owners) connection?.destroy();
    await until(() => loop.open === 0, 'all are closed');
    loop.close();
    descriptors.close();
    assert.is(clearPlaces(places), 0, 'nothing of the system is left');
  }
}

const h2 = { servername: 'a.test', ALPNProtocols: ['h2'] };

test('a large write reports its unsent and unacknowledged bytes until all are acknowledged', async () => {
  await withLoop(async (port, owners) => {
    const socket = await dialTls(port, h2);
    socket.pause();
    await until(() => owners[0]?.connection !== null, 'the handshake is done');
    const connection = owners[0].connection as TlsConnection;
    assert.is(connection.unsent, 0);
    let isDone = false;
    connection.write(Buffer.alloc(LARGE), () => {
      isDone = true;
    });
    assert.ok(connection.unsent > 0 && connection.unsent < LARGE, String(connection.unsent));
    assert.is(isDone, false);
    let before = -1;
    for (; before !== connection.unsent; await sleep(50)) before = connection.unsent;
    const waiting = connection.unacknowledged;
    assert.ok(waiting > 0 && waiting <= LARGE - connection.unsent + (LARGE >> 6), String(waiting));
    const { unsent } = connection;
    let taken = 0;
    socket.on('data', (part: Buffer) => {
      taken += part.length;
    });
    socket.resume();
    let least = unsent;
    await until(() => {
      assert.ok(connection.unsent <= least, 'it only falls');
      least = connection.unsent;
      return taken === LARGE && isDone;
    }, 'all is taken');
    assert.is(connection.unsent, 0);
    await until(() => connection.unacknowledged === 0, 'and acknowledged');
    connection.destroy();
    assert.is(connection.unacknowledged, 0);
  });
});

test('buffered records of OpenSSL are read to the end by a reader that pauses at each part', async () => {
  await withLoop(async (port, owners) => {
    const socket = await dialTls(port, h2);
    await until(() => owners[0]?.connection !== null, 'the handshake is done');
    const owner = owners[0];
    const connection = owner.connection as TlsConnection;
    let pauses = 0;
    owner.onReceived = () => {
      pauses++;
      connection.pause();
      setTimeout(() => connection.resume(), 1);
    };
    let sent = '';
    const send = (length: number) => {
      const text = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((sent.length + i) % 89))).join('');
      sent += text;
      socket.write(text, 'latin1');
    };
    for (let i = 0; i < 8; i++) send(65_536);
    await until(() => owner.received.length === sent.length, 'the large records are here');
    // 512 bytes are the least that OpenSSL makes a record of.
    socket.setMaxSendFragment(512);
    for (let i = 0; i < 4; i++) send(65_536);
    await until(() => owner.received.length === sent.length, 'and the small ones');
    assert.ok(owner.received === sent, 'in their order');
    assert.ok(pauses >= 12, String(pauses));
    socket.destroy();
  });
});

test('a client that disconnects during a large write ends it, and leaves nothing', async () => {
  await withLoop(async (port, owners) => {
    for (let i = 0; i < 8; i++) {
      const socket = await dialTls(port, h2);
      socket.pause();
      await until(() => owners[i]?.connection != null, 'the handshake is done');
      const connection = owners[i].connection as TlsConnection;
      const ended = new Promise<boolean>((done) =>
        connection.write(Buffer.alloc(LARGE), (error) => done(error == null)),
      );
      await until(() => connection.unsent < LARGE, 'some has left');
      // By the client, or by our own hand.
      if (i % 2 === 0) socket.destroy();
      else connection.destroy();
      assert.is(await ended, false);
      socket.destroy();
      await until(() => owners[i].heard.includes('closed'), 'it is closed');
    }
  });
});

test('a connection keeps its context after eviction from the cache, and so does the next one of its name', async () => {
  const names = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
  const certificates = new Map(
    names.map((name) => [name, { key: pem.key, cert: certificate({ name, key, dnsNames: [name] }) }]),
  );
  await withLoop(
    async (port, owners) => {
      const sockets = [];
      for (let round = 0; round < 4; round++)
        for (const servername of names) {
          const socket = await dialTls(port, { ...h2, servername });
          assert.is(socket.getPeerCertificate().subject.CN, servername);
          sockets.push(socket);
        }
      for (const [i, socket] of sockets.entries()) socket.write(`I am ${i}`);
      await until(() => owners.every(({ received }, i) => received === `I am ${i}`), 'all are heard');
      for (const socket of sockets) socket.destroy();
    },
    (name) => certificates.get(name),
    2,
  );
});

test('a key of each kind signs for its certificate, and the served chain is the given one', async () => {
  const issuers = [ecKey(), rsaKey(2048)].map((keyPair) => ({ name: 'ca.test', key: keyPair }));
  const shown: { readonly name: string; readonly pem: TlsCertificate }[] = [];
  for (const [i, pair] of [ecKey(), ecKey('secp384r1'), ecKey('secp521r1'), rsaKey(2048, 1)].entries())
    for (const [j, issuer] of issuers.entries()) {
      const name = `k${i}-${j}.test`;
      const chain = certificate({ ...issuer, ca: true });
      const own = certificate({ name, key: pair, issuer, dnsNames: [name] });
      shown.push({ name, pem: { key: pemOfKey(pair), cert: own + chain } });
    }
  const certificates = new Map(shown.map(({ name, pem: served }) => [name, served]));
  await withLoop(
    async (port) => {
      for (const { name, pem: served } of shown)
        for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
          // The client checks the signature of the handshake by the certificate.
          const socket = await dialTls(port, { ...h2, servername: name, minVersion: version, maxVersion: version });
          assert.ok(socket.getPeerCertificate().raw.equals(new X509Certificate(served.cert).raw), `${name} ${version}`);
          socket.destroy();
        }
    },
    (name) => certificates.get(name),
  );
});

test('an unusable certificate counts as missing: the alert unrecognized_name, each time', async () => {
  await withLoop(
    async (port, owners) => {
      for (let i = 0; i < 3; i++) {
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...h2 });
        const [error] = (await once(socket, 'error')) as [Error];
        assert.match(String(error), /unrecognized.name/i);
        await until(() => owners[i].heard.includes('closed'), 'it is closed');
        assert.equal(owners[i].heard.slice(0, 2), ['Error: the certificate is not PEM', 'unrecognized_name']);
      }
    },
    () => ({ cert: 'nonsense', key: 'nonsense' }),
  );
});

test('close_notify is answered, whoever is first, and an end without it is one', async () => {
  await withLoop(async (port, owners) => {
    const first = await dialTls(port, h2);
    first.resume();
    await until(() => owners[0]?.connection !== null, 'the handshake is done');
    owners[0].connection?.end();
    await once(first, 'end'); // without an error: close_notify has come
    await until(() => owners[0].heard.includes('closed'), 'it is closed');
    const second = await dialTls(port, h2);
    second.resume();
    second.end('last words');
    await until(() => owners[1]?.heard.includes('end'), 'the end is heard');
    assert.is(owners[1].received, 'last words');
    owners[1].connection?.end();
    await once(second, 'close');
    await until(() => owners[1].heard.includes('closed'), 'it is closed');
  });
});

test.run();
