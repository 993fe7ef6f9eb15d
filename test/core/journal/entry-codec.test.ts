/** Reading an entry without the further rows of a run. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeWriter, readChanges, readFirstChanges } from '../../../core/journal/entry-codec.ts';
import { idAt, idKey } from '../../../core/store/keys.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';

const test = suite('changes of an entry');

const RECORDS = 4;
const change = fc.record({
  table: fc.constantFrom(RECORDS, 3),
  domain: fc.constantFrom(1, 2, 2 ** 40),
  tail: fc.uint8Array({ maxLength: 9 }),
  value: fc.option(fc.uint8Array({ maxLength: 9 })),
});

test('the first change of each run of a domain is read, and every other change', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const out = new ChangeWriter();
      for (const { table, domain, tail, value } of changes) {
        const key = Buffer.concat([idKey(domain), tail]);
        if (value === null) out.delete(table, key);
        else out.put(table, key, Buffer.from(value));
      }
      const all = [...readChanges(out.content)];
      const expected = all.filter(({ table, key }, i) => {
        const before = all[i - 1];
        return table !== RECORDS || before?.table !== RECORDS || idAt(before.key) !== idAt(key);
      });
      assert.equal([...readFirstChanges(out.content, RECORDS)], expected);
    }),
    { numRuns: depth({ quick: 200, moderate: 1000, full: 100_000 }) },
  );
});

test.run();
