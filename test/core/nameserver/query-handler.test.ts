/** The one way of a message: the same over each transport of the table, without sockets. */
import { MessageChannel } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { COLUMN, NameserverCounters, ThreadCounters } from '../../../core/nameserver/counters.ts';
import { createUdpLimit } from '../../../core/nameserver/deferred-limit.ts';
import { DeferredQueue, type ReplyPath } from '../../../core/nameserver/deferred-queue.ts';
import { QueryHandler } from '../../../core/nameserver/query-handler.ts';
import { createRateLimit, RateLimiter } from '../../../core/nameserver/rate-limit.ts';
import { PrefixList } from '../../../core/nameserver/rate-limit-prefixes.ts';
import { Client, TRANSPORT_NAMES, type TransportName } from '../../../core/net/address/client.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { IndexReader } from '../../../core/zone/answer/index-reader.ts';
import { DEFERRED, Responder } from '../../../core/zone/answer/responder.ts';
import { decodeMessage, type Message } from '../../support/message.ts';
import { ask, byteOf, putZone, UDP_PAYLOAD, ZONE } from './fixture.ts';

const AXFR = ask('@', { type: TYPE.AXFR });
const index = new IndexWriter(1 << 20);
putZone(index, ZONE);

interface Options {
  /** Deferred messages have a queue, with room for so many more. Omitted: there is no queue. */
  readonly room?: number;
  readonly transferAllow?: string;
  /** Responses a second of a client. */
  readonly rate?: number;
  readonly respond?: Responder['respond'];
}

class Rig {
  readonly path: ReplyPath & { readonly ids: number[] };
  readonly faults: unknown[] = [];
  readonly #counters = new NameserverCounters(['udp']);
  readonly #handler: QueryHandler;
  readonly #client = new Client();
  readonly #bytes = new Uint8Array(70_000);
  readonly #ports: readonly { close(): void }[];

  constructor(transport: TransportName, { room, transferAllow, rate, respond }: Options = {}) {
    const [slots, queue] = [new MessageChannel(), new MessageChannel()];
    this.#ports = [slots.port1, slots.port2, queue.port1, queue.port2];
    const store = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };
    const reader = new IndexReader(index.share(slots.port1), 1, slots.port2, store);
    const responder = new Responder(reader, UDP_PAYLOAD);
    if (respond !== undefined) responder.respond = respond;
    const pendingCount = new SharedArrayBuffer(4);
    if (room !== undefined) new Int32Array(pendingCount)[0] = 320 - room;
    const channel = { port: queue.port1, pendingCount, udpLimit: createUdpLimit() };
    const limit = { slip: 2, allow: false, ipv4Prefix: 24, ipv6Prefix: 56 };
    this.#handler = new QueryHandler({
      index: reader,
      responder,
      counters: new ThreadCounters(this.#counters.slice(0)),
      onFault: (error) => this.faults.push(error),
      limiter: rate === undefined ? null : new RateLimiter(createRateLimit({ ...limit, rate })!),
      deferred: room === undefined ? null : new DeferredQueue(channel),
      transferAllow: transferAllow === undefined ? null : new PrefixList([transferAllow]),
    });
    this.#client.setAddress(Uint8Array.of(192, 0, 2, 1), 0, 4);
    this.#client.transport = TRANSPORT_NAMES.indexOf(transport);
    const ids: number[] = [];
    this.path = {
      ids,
      replyTo(id) {
        ids.push(id);
        return { write: () => {}, end: () => {} };
      },
    };
  }

  /** The length that the handler returns, and the response. */
  answer(message: Uint8Array): { length: number; response: Message | null; bytes: Uint8Array } {
    // In a batch, each message has a place of its own.
    const start = 100;
    this.#bytes.set(message, start);
    const length = this.#handler.answerSingle(this.#bytes, start, message.length, this.#client, this.path);
    const bytes = this.#bytes.slice(start, start + Math.max(0, length));
    return { length, response: length > 0 ? decodeMessage(bytes) : null, bytes };
  }

  count(column: keyof typeof COLUMN): number {
    return this.#counters.sum('udp', COLUMN[column]);
  }

  answered(rcode: number): number {
    return this.#counters.answers('udp', 0, rcode);
  }

  close(): void {
    for (const port of this.#ports) port.close();
  }
}

for (const transport of TRANSPORT_NAMES) {
  const test = suite(`query handler, ${transport}`);

  const withRig = (options: Options, work: (rig: Rig) => void): void => {
    const rig = new Rig(transport, options);
    try {
      work(rig);
    } finally {
      rig.close();
    }
  };

  test('answers, errors and silence are counted once each', () =>
    withRig({}, (rig) => {
      assert.is(byteOf(rig.answer(ask('host7')).bytes), 7);
      assert.is(rig.answer(ask('none')).response!.rcode, RCODE.NXDOMAIN);
      assert.is(rig.answer(ask('host1').subarray(0, 20)).response!.rcode, RCODE.FORMERR);
      assert.is(rig.answer(ask('host1').subarray(0, 11)).length, 0);
      const response = ask('host1');
      response[2] |= 0x80;
      assert.is(rig.answer(response).length, 0);
      assert.equal(
        [RCODE.NOERROR, RCODE.NXDOMAIN, RCODE.FORMERR].map((code) => rig.answered(code)),
        [1, 1, 1],
      );
      assert.is(rig.count('notQuery'), 2);
    }));

  test('a message that causes an exception gets no response, wherever it is thrown', () => {
    const fault = new Error('a fault');
    const respond = (): never => {
      throw fault;
    };
    withRig({ respond }, (rig) => {
      assert.is(rig.answer(ask('host1')).length, 0);
      assert.equal(rig.faults, [fault]);
      assert.is(rig.count('fault'), 1);
      assert.is(rig.count('notQuery'), 0);
    });
  });

  test('without a queue, deferred messages are refused', () =>
    withRig({}, (rig) => {
      assert.is(rig.answer(AXFR).response!.rcode, RCODE.REFUSED);
      assert.is(rig.answered(RCODE.REFUSED), 1);
      assert.equal(rig.path.ids, []);
    }));

  test('a deferred message goes to the main thread, and has no response yet', () =>
    withRig({ room: 200, transferAllow: '192.0.2.0/24' }, (rig) => {
      assert.is(rig.answer(AXFR).length, DEFERRED);
      assert.is(rig.answer(AXFR).length, DEFERRED);
      assert.equal(rig.path.ids, [1, 2]);
      assert.is(rig.count('deferred'), 2);
      assert.is(rig.answered(RCODE.NOERROR), 0);
    }));

  test('a transfer from another network is refused by the thread', () =>
    withRig({ room: 200, transferAllow: '198.51.100.0/24' }, (rig) => {
      assert.is(rig.answer(AXFR).response!.rcode, RCODE.REFUSED);
      assert.is(rig.count('transfersRefused'), 1);
      assert.equal(rig.path.ids, []);
    }));

  test('when the main thread has no capacity, the client is made to retry', () =>
    withRig({ room: 0 }, (rig) => {
      const { rcode, header } = rig.answer(AXFR).response!;
      assert.equal([rcode, header.tc], transport === 'udp' ? [RCODE.NOERROR, true] : [RCODE.SERVFAIL, false]);
      assert.is(rig.count('deferredRefused'), 1);
      assert.is(rig.answered(rcode), 1);
      assert.equal(rig.path.ids, []);
    }));

  test('the rate limit drops and truncates responses, but not those that make the client retry', () =>
    withRig({ room: 0, rate: 1 }, (rig) => {
      const sent = Array.from({ length: 5 }, () => rig.answer(ask('host1')).response);
      assert.equal(
        sent.map((response) => response?.header.tc ?? null),
        [false, null, true, null, true],
      );
      assert.is(rig.count('rateLimited'), 2);
      assert.is(rig.count('rateSlipped'), 2);
      assert.is(rig.answered(RCODE.NOERROR), 3);
      for (let i = 0; i < 5; i++) assert.ok(rig.answer(AXFR).length > 0);
    }));

  test.run();
}
