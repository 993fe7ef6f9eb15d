/** The order and the prefixes of keys: what every range read of the store relies on. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equalNames, isWithin, type Name, parseName } from '../../../core/dns/wire/name.ts';
import {
  afterPrefix,
  idAt,
  nameKey,
  nameOfKey,
  recordKey,
  recordKeyParts,
  recordsAt,
  recordsBelow,
  recordsOfType,
  recordsOfZone,
  sequenceKey,
  targetKey,
  targetKeyParts,
  targetsAt,
  targetsBelow,
} from '../../../core/store/keys.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';

/**
 * Bytes that keys escape, that look like separators, or that differ by case, more often than chance
 * has them.
 */
const byte = fc.oneof(fc.constantFrom(0, 1, 2, 0x2e, 0x41, 0x5a, 0x61, 0x7a, 0x2a, 0xfe, 0xff), fc.nat(255));
const label = fc.oneof(
  { weight: 9, arbitrary: fc.array(byte, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(byte, { minLength: 61, maxLength: 63 }) },
);

function nameOf(labels: readonly (readonly number[])[]): Name {
  const kept = [...labels];
  while (kept.reduce((n, l) => n + l.length + 1, 1) > 255) kept.shift();
  return Uint8Array.from([...kept.flatMap((l) => [l.length, ...l]), 0]);
}

const name = fc.array(label, { maxLength: 6 }).map(nameOf);
/** Names that share an end, so that one is often within the other. */
const pair = fc
  .tuple(fc.array(label, { maxLength: 3 }), fc.array(label, { maxLength: 2 }), fc.array(label, { maxLength: 2 }))
  .map(([end, a, b]): [Name, Name] => [nameOf([...a, ...end]), nameOf([...b, ...end])]);
const id = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(Number.MAX_SAFE_INTEGER));

const lower = (bytes: Name): Name => bytes.map((c) => (c >= 0x41 && c <= 0x5a ? c + 32 : c));

/**
 * RFC 4034 6.1, word for word: labels from the right, as left-justified byte strings, a missing
 * byte before a zero one.
 */
function canonicalOrder(a: Name, b: Name): number {
  const labels = (whole: Name): Buffer[] => {
    const out: Buffer[] = [];
    for (let p = 0; whole[p] !== 0; p += whole[p] + 1)
      out.unshift(Buffer.from(lower(whole.slice(p + 1, p + 1 + whole[p]))));
    return out;
  };
  const left = labels(a);
  const right = labels(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = Buffer.compare(left[i], right[i]);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}

test('name keys sort in canonical order', () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      assert.is(Buffer.compare(nameKey(a), nameKey(b)), canonicalOrder(a, b));
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
  // The example of RFC 4034 6.1, with its bytes.
  const listed = ['example', 'a.example', 'yljkjljk.a.example', 'Z.a.example', 'zABC.a.EXAMPLE', 'z.example'];
  const names = [...listed, '\\001.z.example', '*.z.example', '\\200.z.example'].map((text) => parseName(`${text}.`));
  const keys = names.map((item) => nameKey(item).toString('hex'));
  assert.equal([...keys].sort(), keys);
});

test('a name is decoded from its key, in lower case', () => {
  fc.assert(
    fc.property(name, fc.uint8Array({ maxLength: 9 }), (item, before) => {
      const key = Buffer.concat([before, nameKey(item), Uint8Array.of(0, 7)]);
      assert.equal(nameOfKey(key, before.length, key.length - 2), lower(item));
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
});

test("a name's key is a prefix of another one's exactly when that is at or below it", () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const key = nameKey(a);
      assert.is(nameKey(b).subarray(0, key.length).equals(key), isWithin(lower(b), lower(a)));
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
});

test("the key of the longest name with every byte escaped is within LMDB's limit", () => {
  const longest = nameOf([63, 63, 63, 61].map((length) => new Array<number>(length).fill(0)));
  assert.is(longest.length, 255);
  assert.equal(nameOfKey(nameKey(longest), 0, nameKey(longest).length), longest);
  const record = recordKey(0, longest, 1, Number.MAX_SAFE_INTEGER);
  assert.ok(targetKey(longest, record).length < 1978, 'the greatest key with pages of 4,096 bytes');
});

test('a record key contains zone, name, type and id, and is in the ranges of its zone and names', () => {
  fc.assert(
    fc.property(id, pair, fc.nat(65535), id, (domain, [owner, other], type, record) => {
      const key = recordKey(domain, owner, type, record);
      const { nameEnd, type: readType } = recordKeyParts(key);
      assert.is(readType, type);
      assert.is(idAt(key), domain);
      assert.is(idAt(key, key.length - 8), record);
      assert.equal(nameOfKey(key, 8, nameEnd), lower(owner));
      const has = (prefix: Buffer) => key.subarray(0, prefix.length).equals(prefix);
      assert.ok(has(recordsOfZone(domain)));
      assert.is(has(recordsAt(domain, other)), equalNames(lower(owner), lower(other)));
      const isOfType = (wanted: number): boolean => has(recordsOfType(domain, other, wanted));
      assert.is(isOfType(type), equalNames(lower(owner), lower(other)));
      assert.not.ok(isOfType(type ^ 1));
      assert.is(has(recordsBelow(domain, other)), isWithin(lower(owner), lower(other)));
    }),
    { numRuns: depth({ quick: 100, moderate: 250, full: 20_000 }) },
  );
});

test('a target key contains owner and type, and is in the ranges of its target', () => {
  fc.assert(
    fc.property(id, name, pair, fc.nat(65535), id, (domain, owner, [target, other], type, record) => {
      const key = targetKey(target, recordKey(domain, owner, type, record));
      assert.equal(targetKeyParts(key), { target: lower(target), owner: lower(owner), type });
      const has = (prefix: Buffer) => key.subarray(0, prefix.length).equals(prefix);
      assert.is(has(targetsAt(domain, other)), equalNames(lower(target), lower(other)));
      assert.is(has(targetsBelow(domain, other)), isWithin(lower(target), lower(other)));
    }),
    { numRuns: depth({ quick: 100, moderate: 250, full: 20_000 }) },
  );
});

test('afterPrefix is the least key behind all that begin with the prefix', () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 4 }), fc.array(byte, { maxLength: 6 }), (start, other) => {
      const prefix = Buffer.from(start);
      const key = Buffer.from(other);
      const end = afterPrefix(prefix);
      const inRange = key.compare(prefix) >= 0 && (end === undefined || key.compare(end) < 0);
      assert.is(inRange, key.subarray(0, prefix.length).equals(prefix));
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
  assert.is(afterPrefix(Buffer.alloc(0)), undefined);
  assert.is(afterPrefix(Buffer.from([255, 255])), undefined);
  assert.equal(afterPrefix(Buffer.from([1, 255])), Buffer.from([2]));
});

test('sequence keys sort as numbers', () => {
  const numbers = [0, 1, 255, 256, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1];
  const keys = numbers.map((n) => sequenceKey(n).toString('hex'));
  assert.equal([...keys].sort(), keys);
  assert.equal(
    numbers.map((n) => sequenceKey(n).readUIntBE(2, 6)),
    numbers,
  );
});

test.run();
