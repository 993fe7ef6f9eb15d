/** The format of groups in etcd: each form is read back, and damaged groups are reported. */
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hashEntry } from '../../../../core/journal/entry-codec.ts';
import {
  decodeGroup,
  type EncodedGroup,
  encodeGroup,
  joinParts,
  PART_SIZE,
} from '../../../../core/journal/etcd/etcd-keys.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';

const [WHOLE, PARTED, PACKED, PACKED_PARTED] = [1, 2, 3, 4];

function decode({ value, parts, hash }: Omit<EncodedGroup, 'entries'>): readonly Buffer[] {
  const group = decodeGroup(value);
  if ('entries' in group) {
    assert.equal([parts, hash], [[], '']);
    return group.entries;
  }
  assert.equal([group.count, group.hash], [parts.length, hash]);
  return joinParts(parts, group);
}

/** The bytes after the 1 of a group in the plain form. */
function body(...entries: Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(entry.length);
      return [length, entry];
    }),
  );
}

/** The description of a group in parts. */
function describeParts(form: number, content: Buffer, count = 1): Buffer {
  const head = Buffer.alloc(41);
  head[0] = form;
  head.writeUIntBE(content.length, 1, 6);
  head.writeUInt16BE(count, 7);
  head.set(hashEntry(content), 9);
  return head;
}

test(`generated groups are read back unchanged, seed ${SEED}`, () => {
  const entry = fc
    .tuple(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.nat(40))
    .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
  const forms = new Set<number>();
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 30, size: 'max' }), (entries) => {
      const encoded = encodeGroup(entries);
      forms.add(encoded.value[0]);
      assert.equal(decode(encoded), entries);
      assert.ok(encoded.value.length <= 1 + body(...entries).length);
    }),
    { seed: SEED, numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
  );
  assert.equal([...forms].sort(), [WHOLE, PACKED]);
});

for (const [what, entries, form, parts] of [
  ['few bytes', [Buffer.alloc(100)], WHOLE, 0],
  // Random bytes cannot be compressed.
  ['what Brotli makes no shorter', [randomBytes(60_000)], WHOLE, 0],
  ['much in one piece', [Buffer.alloc(1_000_000, 'same'), Buffer.alloc(0)], PACKED, 0],
  ['what takes no more than one piece, but stands for too much', [Buffer.alloc(2 << 20, 'same')], PACKED_PARTED, 1],
  ['what takes several parts', [randomBytes(2 * PART_SIZE), Buffer.alloc(PART_SIZE)], PACKED_PARTED, 3],
  ['more noise than one piece', [randomBytes(200_000)], PARTED, 1],
  ['more than a packed group may stand for', [Buffer.alloc((16 << 20) - 3)], PARTED, 17],
] as const)
  test(`${what}: form ${form}`, () => {
    const encoded = encodeGroup(entries);
    assert.equal([encoded.value[0], encoded.parts.length], [form, parts]);
    assert.ok(decode(encoded).every((entry, i) => entry.equals(entries[i])));
  });

test('groups in the plain form, without compression, are read', () => {
  const content = body(Buffer.from('one'), Buffer.alloc(5000));
  const entries = [Buffer.from('one'), Buffer.alloc(5000)];
  assert.equal(decode({ value: Buffer.concat([Uint8Array.of(WHOLE), content]), hash: '', parts: [] }), entries);
  const hash = hashEntry(content).toString('hex');
  const parts = [content.subarray(0, 4000), content.subarray(4000)];
  assert.equal(decode({ value: describeParts(PARTED, content, 2), hash, parts }), entries);
});

test('a damaged or truncated compressed group throws an Error or gives other bytes, for every byte', () => {
  const { value } = encodeGroup([Buffer.alloc(3000, 'record'), Buffer.from('another')]);
  assert.is(value[0], PACKED);
  for (let length = 0; length < value.length; length++)
    assert.throws(
      () => decodeGroup(value.subarray(0, length)),
      (error: Error) => error instanceof Error,
    );
  let failures = 0;
  for (let bit = 8; bit < value.length * 8; bit++) {
    const damaged = Buffer.from(value);
    damaged[bit >> 3] ^= 1 << (bit & 7);
    try {
      decodeGroup(damaged);
    } catch (error) {
      assert.match((error as Error).message, /^a (packed )?group is (damaged|truncated)/);
      failures++;
    }
  }
  assert.ok(failures > 0);
});

test('damaged parts are reported before they are decompressed', () => {
  const { value, parts } = encodeGroup([Buffer.alloc(2 << 20, 'same')]);
  const group = decodeGroup(value);
  assert.ok('count' in group);
  const [part] = parts;
  const damaged = Buffer.from(part);
  damaged[damaged.length >> 1] ^= 1;
  for (const wrong of [[], [damaged], [part, part], [part.subarray(1)]])
    assert.throws(() => joinParts(wrong, group), /the parts of a group are damaged/);
});

test('decompression stops at the maximum size', () => {
  for (const [data, form, most] of [
    [1 << 20, PACKED, 1 << 20],
    [(1 << 20) + 1, PACKED, 1 << 20],
    [16 << 20, PACKED_PARTED, 16 << 20],
    [(16 << 20) + 1, PACKED_PARTED, 16 << 20],
    [64 << 20, PACKED, 1 << 20],
  ]) {
    const content = brotliCompressSync(body(Buffer.alloc(data - 4)), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    assert.ok(content.length < data / 100);
    const value = form === PACKED ? Buffer.concat([Uint8Array.of(PACKED), content]) : describeParts(form, content);
    const read = (): number => {
      const group = decodeGroup(value);
      return ('entries' in group ? group.entries : joinParts([content], group))[0].length;
    };
    if (data <= most) assert.is(read(), data - 4);
    else assert.throws(read, /^a packed group is damaged: Cannot create a Buffer larger than/);
  }
});

test('an invalid group is reported', () => {
  for (const value of [
    [],
    [0],
    [5, 0],
    [WHOLE],
    [WHOLE, 0, 0, 0, 1],
    [PARTED, 0],
    [PACKED],
    [PACKED, 1, 2, 3],
    [PACKED, ...brotliCompressSync(Buffer.alloc(0))],
    [PACKED, ...brotliCompressSync(Buffer.of(0, 0, 0, 9, 1))],
    [PACKED_PARTED, 0],
  ])
    assert.throws(() => decodeGroup(Buffer.from(value)), /group/);
});

test.run();
