import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatMaster, parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../../../../core/dns/wire/types.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { anyName, ORIGIN, record } from '../arbitrary.ts';

const plain = (r: ResourceRecord) => ({
  name: Buffer.from(r.name).toString('hex'),
  type: r.type,
  ttl: r.ttl,
  rdata: Buffer.from(r.rdata).toString('hex'),
});

test('a random zone is read back from its master file, record by record', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 40 }), (zone) => {
      const text = [...formatMaster(ORIGIN, zone)].join('');
      const { records, errors } = parseMaster(Buffer.from(text), { origin: ORIGIN });
      assert.equal(errors, []);
      assert.equal(records.map(plain), zone.map(plain));
      // $ORIGIN and $TTL are lines 1 and 2, then every record has one.
      assert.equal(
        records.map((r) => r.line),
        zone.map((_, i) => i + 3),
      );
    }),
    { numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
  );
});

test('any name can be the origin', () => {
  fc.assert(
    fc.property(anyName, fc.array(record, { minLength: 1, maxLength: 3 }), (origin, zone) => {
      const apex = zone.map((r) => ({ ...r, name: origin }));
      const text = [...formatMaster(origin, apex)].join('');
      const { records, errors } = parseMaster(Buffer.from(text), { origin });
      assert.equal(errors, []);
      assert.equal(records.map(plain), apex.map(plain));
    }),
    { numRuns: depth({ quick: 60, moderate: 75, full: 6000 }) },
  );
});

test('the file does not depend on white space, comments, parentheses or line ends', () => {
  const space = fc.constantFrom(' ', '\t', '   ', ' ( ) ', ' (\n) ', ' ( ; comment ") \n\t) ', ' (\r\n\n) ');
  const end = fc.constantFrom('\n', '\r\n', ' \n', ' ; x ( " \\\n', '\n\n', '\n  \n', '\n; y\n', ' (\n) \n');
  const line = fc.tuple(record, fc.array(space, { minLength: 4, maxLength: 4 }), end, fc.boolean());
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      let text = '';
      for (const [r, spaces, lineEnd, classFirst] of lines) {
        const [, , printed] = [...formatMaster(ORIGIN, [r])].join('').split('\n');
        const [owner, ttl, cls, type, ...rdata] = printed.split('\t');
        const [second, third] = classFirst ? [cls, ttl] : [ttl, cls];
        text +=
          owner + spaces[0] + second + spaces[1] + third + spaces[2] + type + spaces[3] + rdata.join('\t') + lineEnd;
      }
      const { records, errors } = parseMaster(Buffer.from(text), { origin: ORIGIN });
      assert.equal(errors, []);
      assert.equal(
        records.map(plain),
        lines.map(([r]) => plain(r)),
      );
    }),
    { numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
  );
});

test('chunks are large, and the generator holds no more than one', () => {
  let taken = 0;
  const item = { name: parseName('www', ORIGIN), type: 1, ttl: 300, rdata: Uint8Array.of(192, 0, 2, 1) };
  const source = (function* () {
    for (; taken < 5000; taken++) yield item;
  })();
  const chunks = formatMaster(ORIGIN, source);
  const first = chunks.next();
  assert.ok(!first.done && first.value.length >= 16 * 1024);
  assert.ok(taken < 1000, 'the source is read as it is needed');
  const rest = [...chunks];
  assert.ok(rest.slice(0, -1).every((chunk) => chunk.length >= 16 * 1024));
  const text = (first.value as string) + rest.join('');
  assert.is(parseMaster(Buffer.from(text), { origin: ORIGIN }).records.length, 5000);
});

test.run();
