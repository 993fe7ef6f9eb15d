/**
 * Damaged byte streams, cut at random places: a session throws nothing, holds no more than its
 * limits, and ends in order.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { FLAG, FRAME, PREFACE } from '../../../../edge/http/http2/protocol.ts';
import { depth } from '../../../support/depth.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import {
  block,
  data,
  frame,
  GET,
  headers,
  type ManualClock,
  POST,
  ping,
  Rig,
  reset,
  SETTINGS_ACK,
  settings,
  windowUpdate,
} from './rig.ts';

const CASES = depth({ quick: 5000, moderate: 20_000, full: 1_000_000 });
/** Sessions between two turns of the loop, in which their writes complete. */
const BATCH = 200;

const READY = new ReadyAnswer(200, ['content-type', 'text/plain'], Buffer.alloc(3000));

/** Answers at once, reads bodies, streams, throws, or leaves it. */
function handle(exchange: Exchange): void | Promise<void> {
  switch (exchange.method.length % 4) {
    case 0:
      return echo(exchange);
    case 1:
      exchange.respond(200, []);
      exchange.write(Buffer.alloc(20_000));
      return exchange.end(Buffer.alloc(20_000), ['a', 'b']);
    case 2:
      throw new Error('broken');
    default:
      return exchange.answer(READY);
  }
}

async function echo(exchange: Exchange): Promise<void> {
  exchange.respond(200, []);
  for (let piece = await exchange.body.read(); piece !== null; piece = await exchange.body.read())
    exchange.write(piece);
  exchange.end();
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'OPTIONS', 'X', 'XXXXXX'];
const EDGES: readonly number[] = [0, 1, 4, 5, 8, 9, 0x20, 0x7f, 0x80, 0xff];

/** A frame that a client may send, now or later. */
function part(random: Random, id: number): Buffer {
  const method = random.pick(METHODS);
  switch (random.below(14)) {
    case 0:
      return data(id, random.bytes(random.below(200)), random.below(2) === 0);
    case 1:
      return windowUpdate(random.pick([0, id]), random.pick([0, 1, 1000, 0x7fffffff]));
    case 2:
      return settings([random.below(10), random.pick([0, 1, 100, 16_384, 65_535, 0x7fffffff, 0xffffffff])]);
    case 3:
      return ping('abcdefgh', random.below(2));
    case 4:
      return reset(id);
    case 5:
      return Buffer.concat([frame(FRAME.HEADERS, 0, id, block(GET)), frame(FRAME.CONTINUATION, FLAG.END_HEADERS, id)]);
    case 6:
      return frame(FRAME.PRIORITY, 0, id, [0, 0, 0, random.below(4), 1]);
    case 7:
      return frame(random.below(20), random.below(256), random.below(8), random.bytes(random.below(30)));
    case 8:
      return headers(id, ['x-sum', '1'], true);
    default:
      return headers(id, [':method', method, ...POST.slice(2), 'cookie', 'a=b'], random.below(2) === 0);
  }
}

function stream(random: Random): Buffer {
  const parts = [PREFACE, settings([4, 100_000]), SETTINGS_ACK];
  for (let n = random.below(12), id = 1; n > 0; n--) {
    parts.push(part(random, id));
    if (random.below(3) > 0) id += 2;
  }
  const bytes = Buffer.concat(parts);
  for (let n = random.below(4); n > 0; n--) {
    const at = PREFACE.length + random.below(bytes.length - PREFACE.length);
    bytes[at] = random.below(2) === 0 ? random.pick(EDGES) : random.below(256);
  }
  return random.below(8) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

test(`${CASES} streams of bytes, seed ${SEED}`, async () => {
  const random = new Random(SEED);
  for (let done = 0; done < CASES; done += BATCH) {
    const rigs: Rig[] = [];
    for (let i = 0; i < BATCH; i++) {
      const bytes = stream(random);
      const rig = new Rig({ handler: handle, isSilent: true });
      rigs.push(rig);
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(bytes.length, at + 1 + random.below(random.pick([3, 50, 2000])));
        rig.transport.receive(Buffer.from(bytes.subarray(at, end)));
        at = end;
      }
      assert.ok(rig.session.receiver.held <= 16_384 + 9);
      assert.ok(rig.session.streams.count <= DEFAULT_LIMITS.maxConcurrentStreams);
      assert.ok(rig.session.output.waiting <= 256 * 1024);
    }
    for (const rig of rigs) {
      await settle(rig);
      rig.transport.close();
      assert.equal([rig.closes, rig.session.streams.count, rig.clock.count, rig.session.sender.queued], [1, 0, 0, 0]);
    }
  }
});

/** Half of them wait long before they close. */
async function settle(rig: Rig): Promise<void> {
  if (rig.session.streams.count % 2 === 0) return;
  await new Promise((done) => setImmediate(done));
  (rig.clock as ManualClock).advance(40);
}

test.run();
