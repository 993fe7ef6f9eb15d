/**
 * Sockets as a session reads and writes them: directly on this Node, in order, and with their ends
 * told once.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readInto, SocketTransport, type TransportReceiver } from '../../../../edge/http/transport/transport.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';

/** What a receiver hears; `until` resolves when it has heard so much. */
class Ears implements TransportReceiver {
  text = '';
  ends = 0;
  closes = 0;
  #heard: () => void = () => {};

  onBytes(bytes: Buffer): void {
    this.text += bytes.toString('latin1');
    this.#heard();
  }

  onEnd(): void {
    this.ends++;
    this.#heard();
  }

  onClose(): void {
    this.closes++;
    this.#heard();
  }

  async until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      await new Promise<void>((done) => {
        this.#heard = done;
      });
    }
  }
}

/** Both ends of a connection over loopback. */
async function pair(run: (near: Socket, far: Socket) => Promise<void>): Promise<void> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  far.on('error', () => {});
  far.resume();
  const [near] = (await accepted) as [Socket];
  try {
    await run(near, far);
  } finally {
    near.destroy();
    far.destroy();
    server.close();
  }
}

test('this Node can read directly', () =>
  pair(async (near) => {
    near.on('error', () => {});
    assert.is(
      readInto(near, () => {}),
      true,
    );
  }));

test("unread data comes first, then the client's data, then its end, once", () =>
  pair(async (near, far) => {
    near.unshift(Buffer.from('first '));
    const ears = new Ears();
    new SocketTransport(near).start(ears);
    far.write('second');
    await ears.until(() => ears.text === 'first second');
    far.end();
    await ears.until(() => ears.ends === 1 && ears.closes === 1);
  }));

test('nothing is read while it is paused, and nothing is lost', () =>
  pair(async (near, far) => {
    const ears = new Ears();
    const transport = new SocketTransport(near);
    transport.start(ears);
    far.write('a');
    await ears.until(() => ears.text === 'a');
    transport.pause();
    await new Promise<void>((done) => far.write('b'.repeat(200_000), () => done()));
    for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
    assert.is(ears.text, 'a');
    transport.resume();
    await ears.until(() => ears.text.length === 200_001);
    assert.is(ears.text, `a${'b'.repeat(200_000)}`);
  }));

test('a pause during unread data holds until it resumes', () =>
  pair(async (near, far) => {
    near.unshift(Buffer.from('a'));
    const ears = new Ears();
    const transport = new SocketTransport(near);
    const onBytes = ears.onBytes.bind(ears);
    ears.onBytes = (bytes) => {
      onBytes(bytes);
      if (ears.text === 'a') transport.pause();
    };
    transport.start(ears);
    await new Promise<void>((done) => far.write('b'.repeat(200_000), () => done()));
    for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
    assert.is(ears.text.length, 1);
    transport.resume();
    await ears.until(() => ears.text.length === 200_001);
  }));

test('a write reports its completion, and the end comes after it', () =>
  pair(async (near, far) => {
    const transport = new SocketTransport(near);
    transport.start(new Ears());
    const parts: Buffer[] = [];
    far.on('data', (part: Buffer) => parts.push(part));
    let isDuring = true;
    await new Promise<void>((done) => {
      transport.write(Buffer.from('hello'), () => {
        assert.is(isDuring, false);
        done();
      });
      isDuring = false;
    });
    transport.end();
    await once(far, 'end');
    assert.is(Buffer.concat(parts).toString(), 'hello');
  }));

/**
 * Writes more than the system holds; what has not left shrinks as the far side takes it, long
 * before the write is done.
 */
async function seesPart(near: Socket, far: Readable): Promise<void> {
  const transport = new SocketTransport(near);
  transport.start(new Ears());
  assert.is(transport.unsent, 0);
  let isDone = false;
  transport.write(Buffer.alloc(WRITE), () => {
    isDone = true;
  });
  const settled = async (): Promise<number> => {
    for (let before = -1; ; ) {
      for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
      const { unsent } = transport;
      if (unsent === before) return unsent;
      before = unsent;
    }
  };
  let last = await settled();
  assert.ok(last > 0 && last <= WRITE + RECORDS, `${last} bytes`);
  let steps = 0;
  while (!isDone) {
    far.read();
    const now = await settled();
    if (now < last && !isDone) steps++;
    last = now;
  }
  assert.ok(steps > 1, `${steps} steps`);
  assert.is(transport.unsent, 0);
}
/** Bytes; and what TLS adds to them at most. */
const WRITE = 16 << 20;
const RECORDS = 1 << 16;

test('the progress of a write is visible while it is in flight', () =>
  pair(async (near, far) => {
    far.pause();
    await seesPart(near, far);
  }));

test('the same under TLS', () =>
  pair(async (near, far) => {
    far.pause();
    const key = ecKey();
    const secured = new TLSSocket(near, {
      isServer: true,
      key: pemOfKey(key),
      cert: certificate({ name: 'site.test', key }),
    });
    secured.on('error', () => {});
    const reader = connectTls({ socket: far, rejectUnauthorized: false });
    reader.on('error', () => {});
    await once(reader, 'secureConnect');
    await seesPart(secured, reader);
    secured.destroy();
    reader.destroy();
  }));

test('a client that disconnects, and a closed socket, give one close event', async () => {
  await pair(async (near, far) => {
    const ears = new Ears();
    new SocketTransport(near).start(ears);
    far.resetAndDestroy();
    await ears.until(() => ears.closes === 1);
  });
  await pair(async (near) => {
    near.destroy();
    await once(near, 'close');
    const ears = new Ears();
    new SocketTransport(near).start(ears);
    await ears.until(() => ears.closes === 1);
  });
});

test.run();
