/**
 * The UDP loop with a simulated C library: which responses of a batch are sent, and to which
 * address.
 */
import { endianness } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { COLUMN, NameserverCounters, ThreadCounters, TYPE_LABELS } from '../../../core/nameserver/counters.ts';
import { QueryHandler } from '../../../core/nameserver/query-handler.ts';
import { type UdpCalls, UdpLoop } from '../../../core/nameserver/udp-batch.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { IndexReader } from '../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../core/zone/answer/responder.ts';
import { ask, byteOf, putZone, UDP_PAYLOAD, ZONE } from './fixture.ts';

const MESSAGE = 64;
const MSG_TRUNC = 0x20;
const EINTR = 4;

interface Packet {
  readonly port: number;
  readonly bytes: Uint8Array;
  readonly truncated?: boolean;
}

interface Sent {
  readonly port: number;
  readonly bytes: Uint8Array;
}

/** Interprets struct mmsghdr, iovec and sockaddr as the kernel would, in the arrays of the loop. */
class Kernel implements UdpCalls {
  readonly sent: Sent[] = [];
  /** errno of the next calls of sendmmsg that fail. 0: the call sends a single message. */
  readonly failures: number[] = [];
  readonly #arrays: Uint8Array[] = [];
  #batch: readonly Packet[];
  #lastErrno = 0;

  constructor(batch: readonly Packet[]) {
    this.#batch = batch;
  }

  get isDone(): boolean {
    return this.#batch.length === 0;
  }

  /** The upper half of an address identifies the array, the lower half the offset in it. */
  address(bytes: Uint8Array): bigint {
    this.#arrays.push(bytes);
    return BigInt(this.#arrays.length) << 32n;
  }

  recvmmsg(_fd: number, messages: Uint8Array, count: number): number {
    const batch = this.#batch.slice(0, count);
    this.#batch = this.#batch.slice(count);
    batch.forEach(({ port, bytes, truncated }, i) => {
      const { header, address, data, room } = this.#message(messages, i);
      address.writeUInt16LE(2, 0);
      address.writeUInt16BE(port, 2);
      data.set(bytes.subarray(0, room));
      header.writeUInt32LE(truncated ? MSG_TRUNC : 0, 48);
      header.writeUInt32LE(Math.min(bytes.length, room), 56);
    });
    return batch.length;
  }

  sendmmsg(_fd: number, messages: Uint8Array, count: number): number {
    const failure = this.failures.shift();
    if (failure) {
      this.#lastErrno = failure;
      return -1;
    }
    const sending = failure === 0 ? 1 : count;
    for (let i = 0; i < sending; i++) {
      const { address, data, room } = this.#message(messages, i);
      this.sent.push({ port: address.readUInt16BE(2), bytes: new Uint8Array(data.subarray(0, room)) });
    }
    return sending;
  }

  poll(): number {
    return 1;
  }

  errno(): number {
    return this.#lastErrno;
  }

  #message(messages: Uint8Array, i: number): { header: Buffer; address: Buffer; data: Buffer; room: number } {
    const header = Buffer.from(messages.buffer, messages.byteOffset + i * MESSAGE, MESSAGE);
    const vector = this.#at(header.readBigUInt64LE(16));
    return {
      header,
      address: this.#at(header.readBigUInt64LE(0)),
      data: this.#at(vector.readBigUInt64LE(0)),
      room: Number(vector.readBigUInt64LE(8)),
    };
  }

  #at(address: bigint): Buffer {
    const array = this.#arrays[Number(address >> 32n) - 1];
    const offset = Number(address & 0xffffffffn);
    return Buffer.from(array.buffer, array.byteOffset + offset, array.byteLength - offset);
  }
}

function run(
  batch: readonly Packet[],
  failures: readonly number[] = [],
  respond?: Responder['respond'],
  isStopping = false,
): Kernel {
  const index = new IndexWriter(1 << 20);
  putZone(index, ZONE);
  const { port1, port2 } = new MessageChannel();
  const reader = new IndexReader(index.share(port1), 1, port2, {
    refresh: () => {},
    fetch: () => 0,
    fetchEntry: () => 0,
  });
  const responder = new Responder(reader, UDP_PAYLOAD);
  if (respond !== undefined) responder.respond = respond;
  counters = new NameserverCounters(['udp']);
  const kernel = new Kernel(batch);
  kernel.failures.push(...failures);
  const handler = new QueryHandler({
    index: reader,
    responder,
    counters: new ThreadCounters(counters.slice(0)),
    onFault: (fault) => faults.push(fault),
  });
  const loop = new UdpLoop(kernel, handler, {
    fds: [3],
    families: [4],
    anyAddress: false,
    udpPayload: UDP_PAYLOAD,
    proxies: null,
  });
  if (isStopping) loop.close(performance.now() + 60_000);
  else loop.run(() => kernel.isDone);
  port1.close();
  port2.close();
  return kernel;
}
const faults: unknown[] = [];
/** Counters of the last run. */
let counters: NameserverCounters;
const counted = (column: keyof typeof COLUMN): number => counters.sum('udp', COLUMN[column]);

const good = (n: number): Packet => ({ port: 1000 + n, bytes: ask(`host${n}`, { id: n }) });
const got = ({ sent }: Kernel): number[][] => sent.map(({ port, bytes }) => [port, byteOf(bytes)]);
const right = (...hosts: readonly number[]): number[][] => hosts.map((n) => [1000 + n, n]);

const test = suite('UDP batches');

test('source port 0 is never answered, the other packets of the batch are', () => {
  const kernel = run([
    good(1),
    { ...good(2), port: 0 },
    good(3),
    { ...good(4), port: 0 },
    { ...good(5), port: 0 },
    good(6),
  ]);
  assert.equal(got(kernel), right(1, 3, 6));
  assert.is(counted('sourcePortZero'), 3);
  assert.equal(got(run([{ ...good(1), port: 0 }])), []);
});

test('ports with one zero byte are valid', () => {
  const ports = [1, 255, 256, 0xff00];
  assert.equal(
    run(ports.map((port) => ({ ...good(1), port }))).sent.map(({ port }) => port),
    ports,
  );
});

test('a truncated packet is not answered', () => {
  assert.equal(got(run([good(1), { ...good(2), truncated: true }, good(3)])), right(1, 3));
  assert.is(counted('oversized'), 1);
});

test('short packets and responses among valid queries, in several batches', () => {
  const packets = Array.from({ length: 200 }, (_, i): Packet => {
    if (i % 3 === 0) return good(i % 100);
    return i % 3 === 1
      ? { port: 9, bytes: new Uint8Array(i % 12) }
      : { port: 9, bytes: good(1).bytes.map((b, k) => (k === 2 ? 0x80 : b)) };
  });
  assert.equal(got(run(packets)), right(...packets.flatMap((_, i) => (i % 3 === 0 ? [i % 100] : []))));
  assert.is(counted('batches'), Math.ceil(200 / 64));
  assert.is(counted('notQuery'), 133);
  assert.is(counters.answers('udp', 0, RCODE.NOERROR), 67);
  assert.is(counters.types('udp', TYPE_LABELS.indexOf('A')), 67);
});

test('a stop answers all that has been received', () => {
  const hosts = Array.from({ length: 200 }, (_, i) => i % 100);
  const kernel = run(hosts.map(good), [], undefined, true);
  assert.ok(kernel.isDone);
  assert.equal(got(kernel), right(...hosts));
});

test('a send error affects one packet; an interrupted call is repeated', () => {
  assert.equal(got(run([good(1), good(2), good(3)], [101])), right(2, 3));
  assert.is(counted('sendErrors'), 1);
  assert.equal(got(run([good(1), good(2), good(3)], [EINTR, 0, EINTR])), right(1, 2, 3));
  assert.is(counted('sendErrors'), 0);
});

test('a packet that causes an exception is dropped and reported', () => {
  let calls = 0;
  const kernel = run([good(1), good(2), good(3)], [], (bytes, start, length) => {
    if (++calls === 2) throw new Error('a fault');
    bytes[start + 2] |= 0x80;
    return length;
  });
  assert.equal(
    kernel.sent.map(({ port }) => port),
    [1001, 1003],
  );
  assert.is((faults.pop() as Error).message, 'a fault');
  assert.is(counted('fault'), 1);
});

// The structures of the loop are little-endian.
if (endianness() === 'LE') test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error('batched UDP cannot be tested here');
else console.log('skipped: batches of UDP packets, which need a little-endian machine');
