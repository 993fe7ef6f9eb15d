/** dnstap: rings, frames compared with a reference decoder, and a reader that is restarted. */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TapDrain } from '../../../../core/nameserver/dnstap/drain.ts';
import { FrameEncoder } from '../../../../core/nameserver/dnstap/encode.ts';
import { controlFrame, FrameStream, readControl } from '../../../../core/nameserver/dnstap/frame-stream.ts';
import {
  createTapRing,
  DROPPED,
  MESSAGES,
  RING_BYTES,
  TapWriter,
  viewsOf,
} from '../../../../core/nameserver/dnstap/ring.ts';
import { Client, TRANSPORT } from '../../../../core/net/address/client.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { type DecodedMessage, decodeDnstap, framesOf } from './decode.ts';

const ENCODER = new FrameEncoder(
  'ns1',
  'waypost 1',
  new Map([[TRANSPORT.UDP, { ipv4: Uint8Array.of(192, 0, 2, 53), ipv6: null, port: 53 }]]),
);

/** Takes what a drain writes. */
class Sink {
  isWritable = true;
  readonly messages: DecodedMessage[] = [];

  write(bytes: Uint8Array, count: number): void {
    const { frames, end } = framesOf(Buffer.from(bytes));
    assert.is(end, bytes.length);
    assert.is(frames.length, count);
    for (const { control, bytes: frame } of frames) {
      assert.is(control, 0);
      this.messages.push(decodeDnstap(frame));
    }
  }
}

function clientOf(address: readonly number[], port: number, transport: number): Client {
  const client = new Client();
  client.setAddress(Uint8Array.from(address), 0, address.length);
  client.port = port;
  client.transport = transport;
  return client;
}

test('a query and its response', () => {
  const ring = createTapRing(1, 'all');
  const writer = new TapWriter(ring, 1);
  const client = clientOf([198, 51, 100, 7], 4711, TRANSPORT.UDP);
  const before = Date.now();
  const packet = Uint8Array.from([9, 9, 1, 2, 3, 4]);
  writer.query(packet, 2, 4, client);
  packet.set([5, 6, 7], 2);
  writer.response(packet, 2, 3, client);
  const sink = new Sink();
  assert.is(new TapDrain([ring], ENCODER).drain(sink), 2);
  const [query, response] = sink.messages;
  assert.is(query.identity, 'ns1');
  assert.is(query.version, 'waypost 1');
  assert.equal([...query.fields.keys()], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal([...response.fields.keys()], [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14]);
  for (const { fields } of sink.messages) {
    assert.is(fields.get(2), 1);
    assert.is(fields.get(3), 1);
    assert.equal([...(fields.get(4) as Buffer)], [198, 51, 100, 7]);
    assert.equal([...(fields.get(5) as Buffer)], [192, 0, 2, 53]);
    assert.is(fields.get(6), 4711);
    assert.is(fields.get(7), 53);
    assert.ok(Math.abs((fields.get(8) as number) * 1000 - before) < 60_000);
    assert.ok((fields.get(9) as number) < 1e9);
  }
  assert.is(query.fields.get(1), 1);
  assert.equal([...(query.fields.get(10) as Buffer)], [1, 2, 3, 4]);
  assert.is(response.fields.get(1), 2);
  assert.equal([...(response.fields.get(14) as Buffer)], [5, 6, 7]);
});

test('protocols, families, and which messages are passed on', () => {
  const address = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  for (const [messages, types] of [
    ['all', [1, 2]],
    ['queries', [1]],
    ['responses', [2]],
  ] as const)
    for (const [transport, protocol] of [
      [TRANSPORT.UDP, 1],
      [TRANSPORT.TCP, 2],
      [TRANSPORT.TLS, 3],
      [TRANSPORT.HTTPS, 4],
    ]) {
      const ring = createTapRing(1, messages);
      const writer = new TapWriter(ring, 1);
      const client = clientOf(address, 0, transport);
      writer.query(Uint8Array.of(1), 0, 1, client);
      writer.response(Uint8Array.of(1), 0, 1, client);
      // A dropped response.
      writer.response(Uint8Array.of(1), 0, 0, client);
      const sink = new Sink();
      new TapDrain([ring], ENCODER).drain(sink);
      assert.equal(
        sink.messages.map(({ fields }) => fields.get(1)),
        types,
      );
      for (const { fields } of sink.messages) {
        assert.is(fields.get(2), 2);
        assert.is(fields.get(3), protocol);
        assert.equal([...(fields.get(4) as Buffer)], address);
        assert.not(fields.has(6));
      }
    }
});

test('messages are read as they were written, in any order of writes and reads', () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 60_000, max: 65_535 }));
  const steps = fc.array(fc.oneof({ weight: 9, arbitrary: sizes }, { weight: 1, arbitrary: fc.constant(0) }), {
    maxLength: 150,
  });
  fc.assert(
    fc.property(steps, (lengths) => {
      const ring = createTapRing(1, 'queries');
      const writer = new TapWriter(ring, 1);
      const { counters } = viewsOf(ring);
      const drain = new TapDrain([ring], ENCODER);
      const sink = new Sink();
      const client = clientOf([192, 0, 2, 1], 1, TRANSPORT.UDP);
      const expected: number[] = [];
      const packet = new Uint8Array(65_535);
      for (const length of lengths) {
        if (length === 0) drain.drain(sink);
        else {
          const dropped = counters[DROPPED];
          packet.fill(length & 255, 0, length);
          writer.query(packet, 0, length, client);
          if (counters[DROPPED] === dropped) expected.push(length);
        }
      }
      drain.drain(sink);
      assert.is(counters[MESSAGES], expected.length);
      const messages = sink.messages.map(({ fields }) => fields.get(10) as Buffer);
      assert.equal(
        messages.map(({ length }) => length),
        expected,
      );
      assert.ok(messages.every((bytes) => bytes.every((byte) => byte === (bytes.length & 255))));
    }),
    { numRuns: depth({ quick: 5, moderate: 20, full: 200 }) },
  );
});

test('a full ring drops messages, and counts them', () => {
  const ring = createTapRing(1, 'queries');
  const writer = new TapWriter(ring, 1);
  const { counters } = viewsOf(ring);
  const client = clientOf([192, 0, 2, 1], 1, TRANSPORT.UDP);
  const packet = new Uint8Array(1000);
  const capacity = Math.floor(RING_BYTES / 1048);
  for (let i = 0; i < capacity + 10; i++) writer.query(packet, 0, 1000, client);
  assert.is(counters[MESSAGES], capacity);
  assert.is(counters[DROPPED], 10);
  // A sink that is not writable leaves the messages in the ring.
  const sink = new Sink();
  sink.isWritable = false;
  assert.is(new TapDrain([ring], ENCODER).drain(sink), 0);
  sink.isWritable = true;
  assert.is(new TapDrain([ring], ENCODER).drain(sink), capacity);
  writer.query(packet, 0, 1000, client);
  assert.is(counters[DROPPED], 10);
});

test('one query in so many is sampled, with its response', () => {
  const ring = createTapRing(10, 'all');
  const writer = new TapWriter(ring, 4711);
  const client = clientOf([192, 0, 2, 1], 1, TRANSPORT.UDP);
  for (let i = 0; i < 10_000; i++) {
    writer.query(Uint8Array.of(i, i >> 8), 0, 2, client);
    writer.response(Uint8Array.of(i, i >> 8), 0, 2, client);
  }
  const sink = new Sink();
  new TapDrain([ring], ENCODER).drain(sink);
  const { length } = sink.messages;
  assert.ok(length > 1600 && length < 2400, `${length}`);
  for (let i = 0; i < length; i += 2)
    assert.equal(sink.messages[i].fields.get(10), sink.messages[i + 1].fields.get(14));
});

test('control frames are read, and others are an error', () => {
  const accept = controlFrame(1);
  assert.equal(readControl(accept), { type: 1, end: accept.length });
  assert.is(readControl(accept.subarray(0, 20)), null);
  assert.equal(readControl(Buffer.from('000000000000000400000005', 'hex')), { type: 5, end: 12 });
  const other = Buffer.from(accept);
  other[other.length - 1]++;
  assert.throws(() => readControl(other), /does not accept/);
  assert.throws(() => readControl(Buffer.from('GET / HTTP/1.1\r\n')), /does not speak/);
});

/** A reader of Frame Streams at `path`, which records the types of the frames. */
function startReader(path: string): { server: Server; types: number[]; sockets: Set<Socket> } {
  const types: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (part) => {
      received = Buffer.concat([received, part]);
      const { frames, end } = framesOf(received);
      received = received.subarray(end);
      for (const { control } of frames) {
        types.push(control);
        if (control === 4) socket.write(controlFrame(1));
        if (control === 3) socket.write(controlFrame(5));
      }
    });
  });
  server.listen(path);
  return { server, types, sockets };
}

test('the stream waits for its reader, reconnects, and ends in order', async () => {
  const path = join(temporaryFolder('dnstap'), 'socket');
  const states: (string | null)[] = [];
  const stream = new FrameStream({ path, onState: (fault) => states.push(fault), onLost: () => {} });
  await until(() => states.length > 0);
  assert.match(states[0] ?? '', /ENOENT/);
  assert.not(stream.isWritable);
  const first = startReader(path);
  await until(() => stream.isWritable);
  assert.is(states.at(-1), null);
  stream.write(Buffer.from('00000003616263', 'hex'), 1);
  await until(() => first.types.length === 3);
  first.server.close();
  for (const socket of first.sockets) socket.destroy();
  await until(() => !stream.isStarted);
  const second = startReader(path);
  await until(() => stream.isWritable);
  await stream.close();
  await until(() => second.types.length === 3);
  assert.equal(first.types, [4, 2, 0]);
  assert.equal(second.types, [4, 2, 3]);
  second.server.close();
});

test.run();
