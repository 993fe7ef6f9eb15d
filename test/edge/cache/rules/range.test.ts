/** Ranges, compared with a set of bytes; and the delimiters of multipart/byteranges. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { factsOf } from '../../../../edge/cache/rules/facts.ts';
import { multipartEnd, partHead, planRange } from '../../../../edge/cache/rules/range.ts';
import { readRequest } from '../../../../edge/cache/rules/request.ts';
import fc from '../../../support/fc.ts';

const FACTS = factsOf({ key: '', status: 200, headers: [], requestTime: 0, responseTime: 0 });
const plan = (range: string, length: number) =>
  planRange(readRequest('GET', ['range', range], true), 200, FACTS, length);

type Spec = readonly [first: number | null, last: number | null];
const LENGTH = 30;
const near = fc.integer({ min: 0, max: LENGTH + 5 });
const spec: fc.Arbitrary<Spec> = fc.oneof(
  fc.tuple(near, near).map(([a, b]): Spec => [Math.min(a, b), Math.max(a, b)]),
  near.map((first): Spec => [first, null]),
  near.map((suffix): Spec => [null, suffix]),
);

/** The numbers of the bytes in a range. */
function bytesOf([first, last]: Spec, length: number): number[] {
  const all = Array.from({ length }, (_, i) => i);
  if (first === null) return all.filter((i) => i >= length - (last as number));
  return all.filter((i) => i >= first && (last === null || i <= last));
}

test('parts contain the requested bytes once, in the order of the request', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 8 }), fc.constantFrom(1, 10, LENGTH), (specs, length) => {
      const range = `bytes=${specs.map(([first, last]) => `${first ?? ''}-${last ?? ''}`).join(', ')}`;
      const requested = specs.map((item) => bytesOf(item, length)).filter((data) => data.length > 0);
      const actual = plan(range, length);
      kinds.add(actual.kind);
      if (requested.length === 0) return assert.is(actual.kind, 'unsatisfiable', range);
      if (actual.kind !== 'partial') return assert.unreachable(`${range}: ${actual.kind}`);
      const bytes = actual.parts.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
      assert.equal(
        [...bytes].sort((a, b) => a - b),
        [...new Set(requested.flat())].sort((a, b) => a - b),
        range,
      );
      const hasAdjacentParts = actual.parts.some((left) =>
        actual.parts.some((right) => left !== right && left.to === right.from),
      );
      assert.is(hasAdjacentParts, false, range);
      // A part has the position of the first requested range in it.
      const positions = actual.parts.map(({ from, to }) => requested.findIndex(([byte]) => byte >= from && byte < to));
      assert.equal(
        positions,
        [...positions].sort((a, b) => a - b),
        range,
      );
    }),
    { numRuns: 5000 },
  );
  assert.equal([...kinds].sort(), ['partial', 'unsatisfiable']);
});

test('any text yields a plan', () => {
  const text = fc.array(fc.constantFrom('bytes=', '-', ',', '0', '9', '5', ' ', 'a', '=', '1e9', '.'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, fc.constantFrom(0, 1, 10), (parts, length) => {
      const given = plan(parts.join(''), length);
      if (given.kind !== 'partial') return;
      for (const { from, to } of given.parts) assert.ok(from >= 0 && from < to && to <= length);
    }),
    { numRuns: 5000 },
  );
});

test('too many ranges are answered with the whole', () => {
  const far = (count: number): string =>
    `bytes=${Array.from({ length: count }, (_, i) => `${i * 2}-${i * 2}`).join(',')}`;
  assert.is(plan(far(16), 1000).kind, 'partial');
  assert.is(plan(far(17), 1000).kind, 'whole');
  assert.is(plan(`bytes=${'0-0,'.repeat(64)}`, 1000).kind, 'whole');
  assert.is(plan(`bytes=${'0-0,'.repeat(63)}`, 1000).kind, 'partial');
  assert.is(plan(`bytes=${'9'.repeat(30_000)}-${'9'.repeat(30_000)}`, 1000).kind, 'unsatisfiable');
});

test('the delimiters around a part', () => {
  const part = { from: 2, to: 5 };
  const range = 'Content-Range: bytes 2-4/10\r\n\r\n';
  assert.is(partHead('b', 'text/html', part, 10), `\r\n--b\r\nContent-Type: text/html\r\n${range}`);
  assert.is(partHead('b', '', part, 10), `\r\n--b\r\n${range}`);
  assert.is(multipartEnd('b'), '\r\n--b--\r\n');
});

test.run();
