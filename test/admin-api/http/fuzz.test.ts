/**
 * Mutated requests over raw connections: the transport survives, serves valid requests meanwhile,
 * and keeps no connection open.
 */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorResponse } from '../../../admin-api/http/errors.ts';
import type { Handler, Listening } from '../../../admin-api/http/transport.ts';
import { depth } from '../../support/depth.ts';
import { mutate } from '../../support/mutate.ts';
import { Random } from '../../support/random.ts';
import { exchange } from '../../support/raw-http.ts';
import { SEED } from '../../support/seed.ts';
import { forEachTransport } from './transports.ts';

const STREAMS = depth({ quick: 1000, moderate: 10_000, full: 100_000 });
const AT_ONCE = 32;
/** The client closes a stream that does not end. */
const PATIENCE = 150;

const GOOD = [
  'GET /a?b=c HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"name":"www"}',
  'PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n3;x=y\r\nfgh\r\n0\r\nX-T: 1\r\n\r\n',
  'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
  'GET /stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
].map((text) => Buffer.from(text, 'latin1'));

const SPLICES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
]
  .concat([
    '0\r\n\r\n',
    'ffffffff\r\n',
    '-1\r\n',
    ' HTTP/1.1\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'x'.repeat(20_000),
  ])
  .map((text) => Buffer.from(text, 'latin1'));

/**
 * Damages bytes, inserts a piece of the grammar at a wrong position, or deletes bytes; some streams
 * repeatedly.
 */
function damaged(random: Random): Buffer {
  let bytes = random.pick(GOOD);
  for (let n = random.below(4); n >= 0; n--) {
    const at = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, at + random.below(12));
    const kind = random.below(3);
    if (kind === 0) bytes = Buffer.from(mutate(bytes, random));
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    else bytes = Buffer.concat([bytes.subarray(0, at), random.pick(SPLICES), bytes.subarray(at)]);
  }
  return bytes;
}

/** Sends in one or two pieces, then waits, ends or resets. */
async function throwAt(port: number, bytes: Buffer, random: Random): Promise<void> {
  const cut = random.below(2) === 0 ? bytes.length : random.below(bytes.length + 1);
  const leave = random.below(4);
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes.subarray(0, cut));
      if (cut < bytes.length) setTimeout(() => socket.write(bytes.subarray(cut)), 1);
      if (leave === 0) setTimeout(() => socket.resetAndDestroy(), 2);
      else if (leave === 1) setTimeout(() => socket.end(), 2);
      else setTimeout(() => socket.destroy(), leave === 2 ? 10 : PATIENCE);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });
}

async function* pieces(): AsyncGenerator<string> {
  for (let i = 0; i < 3; i++) yield 'piece';
}

await forEachTransport((make, name) => {
  const test = suite(`fuzz ${name}`);

  test(`${STREAMS} damaged streams, seed ${SEED}`, async () => {
    const random = new Random(SEED);
    const rejections: unknown[] = [];
    const note = (reason: unknown): number => rejections.push(reason);
    process.on('unhandledRejection', note);
    const handler: Handler = async (request) => {
      if (request.path === '/good') return { status: 200, headers: {}, body: 'good' };
      if (request.path === '/stream') return { status: 200, headers: {}, body: pieces() };
      try {
        return { status: 200, headers: { 'X-Path': request.path }, body: await request.body(1000) };
      } catch (error) {
        return errorResponse(error, 'id');
      }
    };
    const listening: Listening = await make().listen({ address: '127.0.0.1', port: 0 }, handler);
    let left = STREAMS;
    const thrower = async (): Promise<void> => {
      while (left-- > 0) await throwAt(listening.port, damaged(random), random);
    };
    const asker = async (): Promise<void> => {
      while (left > 0) {
        const { text } = await exchange(listening.port, 'GET /good HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        assert.match(text, /^HTTP\/1\.1 200 .*good$/s);
      }
    };
    await Promise.all([asker(), ...Array.from({ length: AT_ONCE }, thrower)]);
    for (let i = 0; i < 150 && listening.connections() > 0; i++) await new Promise((done) => setTimeout(done, 100));
    assert.is(listening.connections(), 0);
    assert.equal(rejections, []);
    process.off('unhandledRejection', note);
    await listening.close();
  });

  test.run();
});
