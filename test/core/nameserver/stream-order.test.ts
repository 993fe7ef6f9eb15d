/**
 * Sends any messages, split at any positions, to both TCP servers. Every answer must arrive, in the
 * order of the queries, including the answers of the main thread. WAYPOST_SEED repeats a run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPE } from '../../../core/dns/wire/types.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';
import { ask, byteOf, serve } from './fixture.ts';
import { framed, StreamClient } from './stream-client.ts';

const RUNS = 40;

/**
 * A short answer, a long answer (5,000 bytes), the longest (64,000), or a number of messages from
 * the main thread.
 */
const question = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('host' as const), n: fc.nat(99) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('long' as const), n: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('largest' as const), n: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deferred' as const), n: fc.nat(4) }) },
);
const plans = fc.record({
  questions: fc.array(question, { minLength: 1, maxLength: 80 }),
  /** Positions at which the bytes are split, as fractions, and whether the writer pauses there. */
  cuts: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), waits: fc.boolean() }), { maxLength: 12 }),
  halfClose: fc.boolean(),
});

for (const transport of ['batch', 'portable'] as const)
  test(`${transport}: answers come in the order of the queries, seed ${SEED}`, async () => {
    const served = await serve({
      transport,
      async *answerDeferred({ message }) {
        // The upper half of the ID's low byte is the number of messages.
        for (let i = 0; i < message[1] >> 4; i++) yield Uint8Array.of(message[0], message[1], i);
      },
    });
    try {
      await fc.assert(
        fc.asyncProperty(plans, async ({ questions, cuts, halfClose }) => {
          const bytes = framed(
            ...questions.map(({ kind, n }) => {
              if (kind === 'host') return ask(`host${n}`, { id: n });
              if (kind === 'deferred') return ask('host1', { type: TYPE.AXFR, id: n << 4 });
              return ask(kind, { type: TYPE.TXT, id: 7 });
            }),
          );
          const expected = questions.flatMap(({ kind, n }) => {
            if (kind === 'host') return [`host ${n}`];
            if (kind === 'deferred') return Array.from({ length: n }, (_, i) => `deferred ${n} ${i}`);
            return [kind];
          });
          const client = new StreamClient(served.port);
          try {
            let from = 0;
            for (const { at, waits } of cuts.toSorted((a, b) => a.at - b.at)) {
              const to = Math.floor(at * bytes.length);
              if (to > from) client.socket.write(bytes.subarray(from, to));
              from = Math.max(from, to);
              if (waits) await sleep(2);
            }
            if (halfClose) client.socket.end(bytes.subarray(from));
            else client.socket.write(bytes.subarray(from));
            const responses = await client.answers(expected.length);
            assert.equal(responses.map(described), expected);
          } finally {
            client.socket.destroy();
          }
        }),
        { seed: SEED, numRuns: RUNS },
      );
    } catch (error) {
      throw new Error(`seed ${SEED}: ${(error as Error).message}`);
    } finally {
      await served.stop();
    }
  });

function described(response: Uint8Array): string {
  if (response.length === 3) return `deferred ${response[1] >> 4} ${response[2]}`;
  if (response.length > 60_000) return 'largest';
  return response.length > 4000 ? 'long' : `host ${byteOf(response)}`;
}

test.run();
