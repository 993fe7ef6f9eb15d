/** What is seen of a ClientHello, by what node's client sends and by what no client should. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientHello, HELLO, MAX_HELLO } from '../../../../edge/http/tls/client-hello.ts';
import { SEED } from '../../../support/seed.ts';

/** The first flight of node's client. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ...options });
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const parts: Buffer[] = [];
  for await (const part of socket) {
    parts.push(part as Buffer);
    const all = Buffer.concat(parts);
    if (all.length >= 5 && all.length >= 5 + all.readUInt16BE(3)) break;
  }
  client.destroy();
  server.close();
  return Buffer.concat(parts);
}

const vector = (data: number, content: Buffer): Buffer => {
  const length = Buffer.alloc(data);
  length.writeUIntBE(content.length, 0, data);
  return Buffer.concat([length, content]);
};
const extension = (type: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.of(type >> 8, type & 255), vector(2, content)]);
const name = (text: string): Buffer =>
  extension(0, vector(2, Buffer.concat([Buffer.of(0), vector(2, Buffer.from(text, 'latin1'))])));
const protocols = (...names: string[]): Buffer =>
  extension(16, vector(2, Buffer.concat(names.map((text) => vector(1, Buffer.from(text, 'latin1'))))));

interface Parts {
  readonly sessionId?: number;
  readonly suites?: number;
  readonly compression?: number;
  readonly type?: number;
  readonly tail?: Buffer;
}

function message(extensions: readonly Buffer[], parts: Parts = {}): Buffer {
  const body = Buffer.concat([
    Buffer.of(3, 3),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(parts.sessionId ?? 32)),
    vector(2, Buffer.alloc(parts.suites ?? 6)),
    vector(1, Buffer.alloc(parts.compression ?? 1)),
    vector(2, Buffer.concat(extensions)),
    parts.tail ?? Buffer.alloc(0),
  ]);
  return Buffer.concat([Buffer.of(22, 3, 1), vector(2, Buffer.concat([Buffer.of(parts.type ?? 1), vector(3, body)]))]);
}

const hello = new ClientHello();

test('handled by our TLS: a version of HTTP if ALPN is used', async () => {
  const rows: readonly (readonly [servername: string, protocols: string[] | undefined, isOurs: boolean])[] = [
    ['site.test', ['h2'], true],
    ['site.test', ['spdy/3', 'http/1.1'], true],
    ['site.test', undefined, true],
    ['site.test', ['http/1.0', 'http/1.12'], false],
    ['', ['h2', 'http/1.1'], true],
    ['', ['http/1.0'], false],
    ['', undefined, true],
  ];
  for (const [servername, ALPNProtocols, isOurs] of rows) {
    const bytes = await helloOf({ servername, ALPNProtocols });
    assert.is(hello.read(bytes, bytes.length), HELLO.WHOLE);
    assert.is(hello.isOurs, isOurs, `${servername} ${ALPNProtocols}`);
  }
});

test("Node's client, of both versions, with and without HTTP/2; every prefix is incomplete", async () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const [ALPNProtocols, offersHttp2] of [
      [['h2', 'http/1.1'], true],
      [['http/1.1', 'h2'], true],
      [['http/1.1'], false],
      [undefined, false],
    ] as const) {
      const options: ConnectionOptions = {
        maxVersion,
        servername: 'Site.TEST',
        ALPNProtocols: ALPNProtocols?.slice(),
      };
      const bytes = await helloOf(options);
      for (let length = 0; length < bytes.length; length++) assert.is(hello.read(bytes, length), HELLO.INCOMPLETE);
      assert.is(hello.read(bytes, bytes.length), HELLO.WHOLE);
      assert.equal([hello.serverName, hello.offersHttp2], ['site.test', offersHttp2]);
      const followed = Buffer.concat([bytes, Buffer.from('early')]);
      assert.is(hello.read(followed, followed.length), HELLO.WHOLE);
    }
});

test('one message leaves no state for the next', () => {
  const first = message([name('a.test'), protocols('h2')]);
  assert.is(hello.read(first, first.length), HELLO.WHOLE);
  const second = message([]);
  assert.is(hello.read(second, second.length), HELLO.WHOLE);
  assert.equal([hello.serverName, hello.offersHttp2], ['', false]);
});

test('anything unusual is left to node:tls', () => {
  const unusual: Readonly<Record<string, Buffer>> = {
    'a request of HTTP': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    'an alert': Buffer.of(21, 3, 1, 0, 2, 1, 0),
    'SSL 2': Buffer.of(0x80, 46, 1, 3, 1),
    'another version of the record': Buffer.of(22, 2, 0),
    'another message': message([], { type: 2 }),
    'a record that is too long': Buffer.of(22, 3, 1, 0x40, 1, 1, 0, 0x3f, 0xfd),
    'a message in two records': Buffer.of(22, 3, 1, 0, 10, 1, 0, 1, 0),
    'a message that ends before its record': Buffer.of(22, 3, 1, 0, 10, 1, 0, 0, 2),
    'a long session identifier': message([], { sessionId: 33 }),
    'no cipher suite': message([], { suites: 0 }),
    'half a cipher suite': message([], { suites: 3 }),
    'no compression method': message([], { compression: 0 }),
    'something behind the extensions': message([], { tail: Buffer.of(0) }),
    'two names': message([name('a.test'), name('b.test')]),
    'two lists of protocols': message([protocols('h2'), protocols('h2')]),
    'an empty name': message([name('')]),
    'a name that is too long': message([name('a'.repeat(256))]),
    'a name with NUL': message([name('a\0b')]),
    'a name with a blank': message([name('a b')]),
    'a name of another kind': message([extension(0, vector(2, Buffer.of(1, 0, 1, 0x61)))]),
    'a list of names with a rest': message([extension(0, Buffer.of(0, 4, 0, 0, 1, 0x61, 0))]),
    'an empty protocol': message([protocols('h2', '')]),
    'an empty list of protocols': message([protocols()]),
    'a protocol that is cut': message([extension(16, Buffer.of(0, 3, 3, 0x68, 0x32))]),
    'an extension that is cut': message([Buffer.of(0, 5, 0, 9, 1)]),
    'half the head of an extension': message([Buffer.of(0, 5, 0)]),
  };
  for (const [what, bytes] of Object.entries(unusual)) assert.is(hello.read(bytes, bytes.length), HELLO.UNUSUAL, what);
});

test(`changed bytes never throw, nor lead past the message (seed ${SEED})`, () => {
  let state = SEED | 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const plain = message([name('a.test'), extension(10, Buffer.alloc(4)), protocols('h2', 'http/1.1')]);
  const room = Buffer.alloc(MAX_HELLO, 0x68);
  const outcomes = [0, 0, 0];
  for (let i = 0; i < 100_000; i++) {
    plain.copy(room);
    for (let n = random(3); n >= 0; n--) room[random(plain.length)] = random(256);
    const outcome = hello.read(room, random(8) === 0 ? random(plain.length) : plain.length);
    outcomes[outcome]++;
    if (outcome === HELLO.WHOLE) assert.ok(hello.serverName.length <= 255 && hello.serverName.length < plain.length);
  }
  assert.ok(
    outcomes.every((count) => count > 1000),
    `${outcomes}`,
  );
});

test.run();
