/** Names and records of messages, sound ones and broken ones. WAYPOST_SEED says which mutations. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { MessageReader } from '../../../../core/dns/wire/message-reader.ts';
import { formatName } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';

/** Text and bytes, one after another. */
const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** `example.` at 0, `net.` behind it at 9. */
const NAMES = bytes([7], 'ExaMple', [0], [3], 'NET', [0]);

const nameAt = (message: Uint8Array, at: number): string => {
  const reader = new MessageReader(message, at);
  const name = formatName(reader.name());
  return `${name} ${reader.offset}`;
};
const fails = (work: () => unknown, why: RegExp): void => {
  assert.throws(work, (error: unknown) => error instanceof InvalidError && why.test(error.message));
};

test('names are decompressed and in lower case, and reading continues behind them', () => {
  assert.is(nameAt(NAMES, 0), 'example. 9');
  const message = bytes([...NAMES], [1], 'a', [0xc0, 9], [1], 'B', [0xc0, 14]);
  assert.is(nameAt(message, 14), 'a.net. 18');
  assert.is(nameAt(message, 18), 'b.a.net. 22');
  assert.is(nameAt(bytes([0]), 0), '. 1');
});

test('a malformed name is refused', () => {
  fails(() => nameAt(bytes([3], 'ab'), 0), /beyond the end/);
  fails(() => nameAt(bytes([1], 'a'), 0), /beyond the end/);
  fails(() => nameAt(bytes([0xc0]), 0), /pointer is truncated/);
  fails(() => nameAt(bytes([0xc0, 0]), 0), /point backwards/);
  fails(() => nameAt(bytes([0xc0, 2, 0]), 0), /point backwards/);
  // Two that point at each other, and one that returns to its own labels.
  fails(() => nameAt(bytes([0], [0xc0, 3], [0xc0, 1]), 3), /point backwards/);
  fails(() => nameAt(bytes([1], 'a', [0xc0, 0]), 2 - 2), /point backwards/);
  fails(() => nameAt(bytes([1], 'a', [0xc0, 0]), 2), /point backwards|longer/);
  fails(() => nameAt(bytes([0x41, 0]), 0), /unknown type/);
  fails(() => nameAt(bytes([0x81, 0]), 0), /unknown type/);
});

test('each label may be behind a pointer; longer chains of pointers are refused', () => {
  const chain = (links: number, link: (to: number) => readonly number[]): { message: Uint8Array; last: number } => {
    const parts: (readonly number[])[] = [[0]];
    let to = 0;
    let end = 1;
    for (let i = 0; i < links; i++) {
      const part = link(to);
      parts.push(part);
      to = end;
      end += part.length;
    }
    return { message: bytes(...parts), last: to };
  };
  const pointer = (to: number): readonly number[] => [0xc0 | (to >>> 8), to & 255];
  const labels = chain(127, (to) => [1, 0x61, ...pointer(to)]);
  assert.is(new MessageReader(labels.message, labels.last).name().length, 255);
  const most = chain(127, pointer);
  assert.is(nameAt(most.message, most.last), `. ${most.last + 2}`);
  const long = chain(8000, pointer);
  fails(() => nameAt(long.message, long.last), /too many compression pointers/);
});

test('a name has at most 255 bytes, however it is compressed', () => {
  const label = bytes([62], 'x'.repeat(62));
  const whole = bytes([...label], [...label], [...label], [...label], [2], 'xx');
  assert.is(whole.length + 1, 256);
  fails(() => nameAt(bytes([...whole], [0]), 0), /255/);
  const fits = bytes([...label], [...label], [...label], [...label], [1], 'x', [0]);
  assert.is(new MessageReader(fits).name().length, 255);
  fails(() => nameAt(bytes([...fits], [1], 'y', [0xc0, 0]), 255), /255/);
});

const record = (type: number, ...rdata: (string | readonly number[])[]): Uint8Array => {
  const content = bytes(...rdata);
  return bytes(
    [...NAMES],
    [0xc0, 9],
    [type >> 8, type & 255, 0, 1, 0, 0, 1, 44, content.length >> 8, content.length & 255],
    [...content],
  );
};
const contentOf = (message: Uint8Array): string => {
  const reader = new MessageReader(message, NAMES.length);
  const { name, type, class: qclass, ttl, rdata } = reader.record();
  reader.end();
  assert.equal([formatName(name), qclass, ttl], ['net.', 1, 300]);
  return formatRdata(type, rdata);
};

test('names in rdata are decompressed where a sender may compress them', () => {
  const pointer = [1, 0x41, 0xc0, 0];
  assert.is(contentOf(record(TYPE.NS, pointer)), 'a.example.');
  assert.is(contentOf(record(TYPE.CNAME, [0xc0, 9])), 'net.');
  assert.is(contentOf(record(TYPE.DNAME, pointer)), 'a.example.');
  assert.is(contentOf(record(TYPE.MX, [0, 10], pointer)), '10 a.example.');
  assert.is(contentOf(record(TYPE.SRV, [0, 1, 0, 2, 0, 3], pointer)), '1 2 3 a.example.');
  const soa = contentOf(
    record(TYPE.SOA, pointer, [0xc0, 9], [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 3], [0, 0, 0, 4], [0, 0, 0, 5]),
  );
  assert.is(soa, 'a.example. net. 1 2 3 4 5');
  const naptr = contentOf(record(TYPE.NAPTR, [0, 1, 0, 2], [1], 'S', [3], 'SIP', [0], [0xc0, 0]));
  assert.is(naptr, '1 2 "S" "SIP" "" example.');
  assert.is(contentOf(record(TYPE.RP, pointer, [0xc0, 9])), 'a.example. net.');
  assert.is(contentOf(record(TYPE.MINFO, pointer, [0xc0, 9])), 'a.example. net.');
  assert.is(contentOf(record(TYPE.PX, [0, 1], pointer, [0xc0, 9])), '1 a.example. net.');
  const sig = contentOf(record(TYPE.SIG, [0, 1, 13, 2], new Array(14).fill(0), pointer, [1, 2, 3]));
  assert.is(sig, 'A 13 2 0 19700101000000 19700101000000 0 a.example. AQID');
  assert.is(contentOf(record(TYPE.NXT, pointer, [0x40])), 'a.example. A');
  // In all other types these bytes are no pointer.
  assert.is(contentOf(record(731, [0xc0, 9])), '\\# 2 c009');
  assert.is(contentOf(record(TYPE.TXT, [2], 'aB')), '"aB"');
});

test('records that do not fit are refused', () => {
  const mx = record(TYPE.MX, [0, 10], [0xc0, 0]);
  for (let length = NAMES.length; length < mx.length; length++)
    assert.throws(
      () => contentOf(mx.subarray(0, length)),
      (error: unknown) => error instanceof InvalidError,
      `${length}`,
    );
  const long = Buffer.from(mx);
  long[long.length - 5] = 3;
  fails(() => contentOf(long), /beyond the end of its rdata/);
  fails(() => contentOf(bytes([...mx], [0])), /extra bytes after/);
  fails(() => contentOf(record(TYPE.MX, [0])), /./);
  fails(() => contentOf(record(TYPE.NAPTR, [0, 1, 0, 2], [1], 'S', [200])), /before its name/);
});

test(`any bytes give records or an InvalidError, seed ${SEED}`, () => {
  const mx = record(TYPE.MX, [0, 10], [1, 0x61, 0xc0, 0]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: mx.length - 1 }), fc.nat({ max: 255 })), { maxLength: 4 }),
      fc.uint8Array({ maxLength: 40 }),
      (changes, tail) => {
        const message = bytes([...mx], [...tail]);
        for (const [at, value] of changes) message[at] = value;
        const reader = new MessageReader(message, NAMES.length);
        try {
          while (reader.offset < message.length) {
            const before = reader.offset;
            const { name } = reader.record();
            assert.ok(reader.offset > before && name.length <= 255 && name[name.length - 1] === 0);
          }
        } catch (error) {
          if (!(error instanceof InvalidError)) throw error;
        }
      },
    ),
    { numRuns: depth({ quick: 2000, moderate: 5000, full: 400_000 }), seed: SEED },
  );
});

test.run();
