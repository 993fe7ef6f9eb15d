/**
 * The judge itself: it passes a perfect server over generated worlds, and finds each way of being
 * wrong.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import fc from '../support/fc.ts';
import { encodeQuery } from '../support/message.ts';
import { nameOf } from '../support/names.ts';
import { encodeResponse } from '../support/response.ts';
import { checkWorld, expectedOptions, faultsOf, TCP_LIMIT, UDP_LIMIT } from './compare.ts';
import { buildQuestion, buildWorld, ourWorldDraft, questionDraft, type World } from './generate.ts';
import { servedZones } from './hints.ts';
import { type Expected, type Query, resolve } from './resolver.ts';

const ORIGIN = parseName('test.');

test('a perfect server passes', () => {
  const property = fc.property(
    ourWorldDraft,
    fc.array(questionDraft, { minLength: 10, maxLength: 20 }),
    (rig, drafts) => {
      const built = buildWorld(rig, ORIGIN);
      // TCP only: a server without compression truncates more than it may.
      const questions = drafts.map((draft) => buildQuestion(draft, built)).filter((question) => question !== undefined);
      for (const query of questions) {
        const packet = encodeQuery(query, 4711, true);
        const zones = servedZones(built);
        const expected = resolve(zones, query);
        const options = Buffer.from(expectedOptions(query, expected.rcode), 'hex');
        const response = encodeResponse(packet, query, expected, options);
        assert.equal(faultsOf(built, query, packet, response, TCP_LIMIT), []);
      }
    },
  );
  fc.assert(property, { numRuns: 100 });
});

const apex = parseName('p.');
const target = parseName('mail.p.');
const world: World = {
  origin: ORIGIN,
  zones: new Map([
    [
      'p',
      [
        {
          name: apex,
          type: TYPE.SOA,
          ttl: 300,
          rdata: Uint8Array.from([...target, ...target, ...new Array(20).fill(1)]),
        },
        { name: apex, type: TYPE.NS, ttl: 300, rdata: target },
        { name: apex, type: TYPE.MX, ttl: 60, rdata: Uint8Array.from([0, 1, ...target]) },
        { name: target, type: TYPE.A, ttl: 60, rdata: Uint8Array.of(1, 2, 3, 4) },
        { name: target, type: TYPE.A, ttl: 60, rdata: Uint8Array.of(1, 2, 3, 5) },
      ],
    ],
  ]),
};
const query: Query = {
  name: nameOf(['P'], parseName('.')),
  type: TYPE.MX,
  class: 1,
  edns: { version: 0, size: 1232, do: true },
};
const packet = encodeQuery(query, 99);
const good = resolve(world.zones, query);
const alter = (change: Partial<Expected>): Uint8Array => encodeResponse(packet, query, { ...good, ...change });
const poke = (at: number, value: number): Uint8Array => {
  const bytes = alter({});
  bytes[at] = value;
  return bytes;
};
const [address, otherAddress] = good.additional;
const mx = good.answer[0];
const otherType: ResourceRecord = { ...address, type: TYPE.AAAA };

const wrong: Record<string, [Uint8Array | null, RegExp]> = {
  silence: [null, /no response/],
  'another ID': [poke(0, 7), /ID is/],
  'no QR': [poke(2, 0), /QR is/],
  'RD from nowhere': [poke(2, 0x85), /RD is/],
  'RA, AD and CD': [poke(3, 0xb0), /RA is.*AD is.*CD is/],
  'AA clear': [alter({ aa: false }), /AA is/],
  'another code': [alter({ rcode: 3 }), /RCODE is 3/],
  'an extended code': [alter({ rcode: 16 }), /RCODE is 16/],
  'the question in lower case': [poke(13, 0x70), /the question is/],
  'half an answer': [alter({ answer: [] }), /answer lacks/],
  'a record too many': [alter({ authority: [mx] }), /authority has too much/],
  'another TTL': [alter({ answer: [{ ...mx, ttl: 61 }] }), /answer lacks/],
  'a record twice': [alter({ answer: [mx, mx] }), /holds twice/],
  'half an RRset': [alter({ additional: [address] }), /half an RRset/],
  'an RRset missing that fits': [alter({ additional: [] }), /would fit/],
  'an RRset torn apart': [alter({ additional: [address, otherType, otherAddress] }), /tears apart/],
  'TC for nothing': [
    encodeResponse(poke(2, 0), query, good).map((byte, i) => (i === 2 ? byte | 2 : byte)),
    /TC is set/,
  ],
  'bytes at the end': [Uint8Array.from([...alter({}), 0]), /after the last record/],
  'a count too high': [poke(7, 2), /not a sound message/],
  'a pointer forward': [poke(12 + 3 + 4, 0xc0), /not a sound message/],
};

for (const [what, [response, fault]] of Object.entries(wrong)) {
  test(`finds ${what}`, () => {
    assert.match(faultsOf(world, query, packet, response, UDP_LIMIT).join('; '), fault);
  });
}

test('a failure shows the question, the differences and the zones', () => {
  try {
    checkWorld(() => null, world, [query]);
  } catch (error) {
    assert.match(String(error), /Asked P\. TYPE15[\s\S]*no response[\s\S]*zone\n[\s\S]*mail\.p\. 60 IN TYPE1/);
    return;
  }
  assert.unreachable();
});

test.run();
