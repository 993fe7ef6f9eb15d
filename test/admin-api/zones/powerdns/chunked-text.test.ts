/** A text in chunks equals the joined parts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChunkedText } from '../../../../admin-api/zones/powerdns/chunked-text.ts';
import fc from '../../../support/fc.ts';

test('parts of any length are joined by the separator', () => {
  const lengths = fc.array(fc.oneof(fc.nat(5), fc.constantFrom(65_535, 65_536, 70_000)), { maxLength: 6 });
  fc.assert(
    fc.property(lengths, fc.constantFrom('', ',', ', '), (sizes, separator) => {
      const parts = sizes.map((size, i) => 'abcdef'[i].repeat(size));
      const text = new ChunkedText(separator);
      for (const part of parts) text.add(part);
      assert.is(text.toBuffer('<', '>').toString(), `<${parts.join(separator)}>`);
    }),
    { numRuns: 100 },
  );
});

test.run();
