/**
 * Exchanges in which something goes wrong, many at a time: each is answered, and nothing of it is
 * left, neither sockets nor memory.
 */

import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginClient } from '../../../edge/origin/client.ts';
import { OriginCancel } from '../../../edge/origin/origin.ts';
import { depth } from '../../support/depth.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { unstalled } from '../../support/unstalled.ts';
import { until } from '../../support/until.ts';
import { bodyOf, faultOf, OK, request, type Script, seen, withOrigin } from './rig.ts';

const EXCHANGES = depth({ quick: 300, moderate: 1500, full: 20_000 });
const AT_A_TIME = 32;
/**
 * Bytes that the heap may have grown by in the second half: far below what a leak of any object for
 * each exchange would make of 100,000.
 */
const GROWTH = 8 << 20;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';
/** By path: what the origin does, and what may come of it. */
const FAULTS: Readonly<Record<string, readonly [(socket: Socket) => void, readonly string[]]>> = {
  '/fine': [(socket) => socket.write(OK), ['none']],
  '/close': [(socket) => socket.end(), ['reset']],
  '/reset': [(socket) => socket.resetAndDestroy(), ['reset']],
  '/half-head': [(socket) => socket.end('HTTP/1.1 200 OK\r\nconte'), ['reset']],
  '/half-body': [(socket) => socket.end(`${HEAD}abc`), ['reset']],
  '/reset-body': [(socket) => socket.write(`${HEAD}abc`, () => socket.resetAndDestroy()), ['reset']],
  '/too-long': [(socket) => socket.write(`${OK}surplus`), ['none']],
  '/garbage': [(socket) => socket.write('garbage'), ['malformed']],
  '/bad-chunk': [(socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'), ['malformed']],
  '/hang': [() => {}, ['header-timeout', 'aborted']],
  '/hang-body': [(socket) => socket.write(`${HEAD}abc`), ['idle-timeout', 'aborted']],
  '/slow': [(socket) => void setTimeout(() => socket.write(OK), 20), ['none', 'aborted']],
};
const PATHS = Object.keys(FAULTS);
/**
 * Milliseconds: long enough for an origin that answers at once. What waits for it is asked for
 * seldom.
 */
const TIME_OUT = 2000;
const WAITS: readonly string[] = ['/hang', '/hang-body'];

const script: Script = (socket, head) => FAULTS[head.split(' ')[1]]?.[0](socket);

async function exchange({ fetch }: OriginClient, port: number, random: Random): Promise<void> {
  const picked = random.pick(PATHS);
  const path = WAITS.includes(picked) && random.below(5) > 0 ? '/fine' : picked;
  const cancel = new OriginCancel();
  const hasBody = random.below(4) === 0;
  const more = hasBody ? { method: 'POST', body: bodyOf(['abc', 'def'], random.below(2) === 0 ? 6 : undefined) } : {};
  if (random.below(3) === 0) setTimeout(() => cancel.cancel(), random.below(30));
  const fault = await faultOf(seen(fetch(request(port, { path, cancel, ...more }))));
  // Who was cancelled, or sent no GET on a connection that was broken behind another's response, is
  // informed of that.
  assert.ok([...FAULTS[path][1], 'aborted', 'reset'].includes(fault), `${path}: ${fault}`);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test(
  `${EXCHANGES} exchanges leave nothing behind`,
  unstalled(20, () =>
    withOrigin(
      script,
      async (origin, its) => {
        const random = new Random(SEED);
        let left = EXCHANGES;
        const run = async (): Promise<void> => {
          while (left-- > 0) await exchange(its, origin.port, random);
        };
        const half = async (): Promise<number> => {
          left = EXCHANGES / 2;
          await Promise.all(Array.from({ length: AT_A_TIME }, run));
          origin.received.length = 0;
          collectGarbage();
          return process.memoryUsage().heapUsed;
        };
        const before = await half();
        const after = await half();
        const { counters } = its;
        await until(() => counters.open === 0, 'all idle connections are closed');
        await until(() => origin.sockets.size === 0, 'the origin has no connection');
        assert.ok(after - before < GROWTH, `grew by ${after - before} bytes`);
        assert.is(counters.requests, EXCHANGES);
        assert.ok(Object.values(counters.faults).some((count) => count > 0));
      },
      { limits: { headerTimeout: TIME_OUT, idleTimeout: TIME_OUT, keepAlive: 500 } },
    ),
  ),
);

test.run();
