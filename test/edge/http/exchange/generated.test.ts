/**
 * Generated requests and responses: every version of HTTP shows the handler, and the
 * client, the same.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { bytesOf } from './client-call.ts';
import { type Rig, VERSIONS, withRig } from './rig.ts';

/** Each is some round trips to four servers, so there are fewer than of cases in memory. */
const CASES = depth({ quick: 60, moderate: 120, full: 2000 });

const letters = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const name = letters('abcxyz-_0', 1, 8).map((text) => `x-${text}`);
const value = letters('aB 0,;="\t\xe9\xff', 0, 20).map((text) => text.trim());
const fields = fc.dictionary(name, value, { maxKeys: 6 });
/** ASCII: node's client writes a head that goes before its body as UTF-8. */
const requestFields = fc.dictionary(
  name,
  value.map((text) => text.replace(/[^\t -~]/g, '?')),
  { maxKeys: 6 },
);
const parts = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 4 });

const pair = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path: letters('ab/%2F?&=.|~', 0, 20).map((text) => `/${text}`),
  authority: fc.constantFrom('site.test', 'Site.Test:8443', '192.0.2.1', '[2001:db8::1]:443'),
  headers: requestFields,
  body: parts,
  hasLength: fc.boolean(),
  status: fc.constantFrom(200, 201, 204, 304, 404, 503),
  answer: fields,
  answerParts: parts,
  isReady: fc.boolean(),
  isEarly: fc.boolean(),
});
type Pair = typeof pair extends fc.Arbitrary<infer T> ? T : never;

const bytes = (length: number): Uint8Array => Buffer.alloc(length, `${length}`);
const sum = (lengths: readonly number[]): number => lengths.reduce((all, length) => all + length, 0);

/** What the handler saw, and what the client got: to be the same for all versions. */
async function outcome(rig: Rig, messages: Pair, current: { handle: (exchange: Exchange) => Promise<void> }) {
  const seen: unknown[] = [];
  // node's client of HTTP/1.1 frames no bodies of other methods by itself.
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(messages.method) && sum(messages.body) > 0;
  current.handle = async (exchange) => {
    const { method, authority, path, headers, protocol, body } = exchange;
    seen.push(
      method,
      authority,
      path,
      protocol,
      [...headers].filter((_, i, all) => all[i & ~1].startsWith('x-')),
    );
    if (!messages.isEarly) {
      let length = 0;
      for (let part = await body.read(); part !== null; part = await body.read()) length += part.length;
      seen.push(body.length, length);
    }
    const fieldList = Object.entries(messages.answer).flat();
    if (messages.isReady) {
      exchange.answer(new ReadyAnswer(messages.status, fieldList, bytes(sum(messages.answerParts))));
      return;
    }
    exchange.respond(messages.status, fieldList);
    for (const length of messages.answerParts)
      if (!exchange.write(bytes(length)) && !exchange.isEnded)
        await new Promise<void>((next) => exchange.onDrain(next));
    exchange.end();
  };
  const length: Record<string, string> = messages.hasLength ? { 'content-length': String(sum(messages.body)) } : {};
  const call = rig.call({
    ...messages,
    headers: hasBody ? { ...messages.headers, ...length } : messages.headers,
    hasBody,
  });
  if (hasBody) {
    for (const part of messages.body) call.write(bytes(part)).catch(() => {});
    call.end();
  }
  const { status, headers } = await call.head;
  const body = await bytesOf(await call.stream());
  const got = Object.entries(headers).filter(([field]) => field.startsWith('x-'));
  got.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    seen,
    status,
    got,
    body: body.toString('latin1'),
    // HTTP/2 omits it while much of the request may be missing.
    contentLength: messages.isReady && !messages.isEarly && headers['content-length'],
  };
}

test('generated requests and responses are the same in every version', async () => {
  console.log(`seed ${SEED}`);
  const current: { handle: (exchange: Exchange) => Promise<void> } = { handle: async () => {} };
  const rigs: Rig[] = [];
  const open = async (index: number): Promise<void> => {
    if (index < VERSIONS.length)
      return withRig(
        VERSIONS[index],
        (exchange) => current.handle(exchange),
        (rig) => {
          rigs.push(rig);
          return open(index + 1);
        },
      );
    await fc.assert(
      fc.asyncProperty(pair, async (messages) => {
        const [first, ...others] = rigs;
        const expected = await outcome(first, messages, current);
        for (const rig of others) assert.equal(await outcome(rig, messages, current), expected, rig.version);
      }),
      { numRuns: CASES },
    );
    for (const rig of rigs) assert.equal(rig.errors, [], rig.version);
  };
  await open(0);
});

test.run();
