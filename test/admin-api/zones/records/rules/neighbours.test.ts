/** The sums at a name equal those over all its records, and need no pass over all records. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Neighbours } from '../../../../../admin-api/zones/records/rules/neighbours.ts';
import { RECORD_OVERHEAD } from '../../../../../admin-api/zones/records/rules/record.ts';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import type { RecordRow } from '../../../../../core/store/rows.ts';
import { WEB_TYPES } from '../../../../../core/zone/compile/proxied.ts';
import fc from '../../../../support/fc.ts';

let ids = 0;
const row = (type: number, rdata: Uint8Array, ttl = 60, proxied: boolean | null = null): RecordRow => ({
  id: ++ids,
  domainId: 1,
  name: parseName('a.example.'),
  type,
  ttl,
  rdata,
  proxied,
  createdAt: 1,
  updatedAt: 1,
});

const rows = fc.array(
  fc
    .record({
      type: fc.constantFrom(TYPE.A, TYPE.AAAA, TYPE.TXT, TYPE.MX),
      rdata: fc.uint8Array({ minLength: 1, maxLength: 3 }),
      ttl: fc.constantFrom(60, 90),
      proxied: fc.constantFrom(true, false, null),
    })
    .map(({ type, rdata, ttl, proxied }) => row(type, rdata, ttl, WEB_TYPES.has(type) ? proxied : null)),
  { maxLength: 30 },
);

test('sizes, types and alignment match those of the single records', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const neighbours = new Neighbours([]);
      let plain: RecordRow[] = [];
      for (const item of list) {
        const { type, rdata, ttl, proxied } = item;
        const same = plain.filter((other) => other.type === type);
        assert.is(neighbours.has(type), same.length > 0);
        assert.is(neighbours.types.size, new Set(plain.map((other) => other.type)).size);
        assert.is(
          neighbours.holds(type, rdata),
          same.some((other) => Buffer.compare(other.rdata, rdata) === 0),
        );
        const size = (of: readonly RecordRow[]) => of.reduce((sum, x) => sum + x.rdata.length + RECORD_OVERHEAD, 0);
        assert.equal([neighbours.size, neighbours.sizeOf(type)], [size(plain), size(same)]);
        const web = WEB_TYPES.has(type);
        const wanted = plain.map((other) => ({
          ...other,
          ttl: other.type === type ? ttl : other.ttl,
          proxied: web && WEB_TYPES.has(other.type) ? proxied : other.proxied,
        }));
        const changed = wanted.filter((x, i) => x.ttl !== plain[i].ttl || x.proxied !== plain[i].proxied);
        const byId = (a: RecordRow, b: RecordRow): number => (a.id < b.id ? -1 : 1);
        assert.equal(
          neighbours.align({ ...item, updatedAt: 7 }).sort(byId),
          changed.map((x) => ({ ...x, updatedAt: 7 })).sort(byId),
        );
        plain = wanted.map((x) => (changed.includes(x) ? { ...x, updatedAt: 7 } : x));
        neighbours.add(item);
        plain.push(item);
        const values = plain.filter((x) => WEB_TYPES.has(x.type)).map((x) => x.proxied);
        assert.equal(new Set(values).size, values.length === 0 ? 0 : new Set([...values, neighbours.proxied]).size);
      }
    }),
  );
});

test('adding a record does not read the records added before', () => {
  const MANY = 2000;
  let looks = 0;
  const neighbours = new Neighbours([]);
  for (let i = 0; i < MANY; i++) {
    const plain = row(TYPE.A, Uint8Array.of(192, 0, i >>> 8, i));
    const { ttl } = plain;
    const watched = Object.defineProperty({ ...plain }, 'ttl', {
      get: () => {
        looks++;
        return ttl;
      },
    });
    neighbours.align(plain);
    neighbours.add(watched);
  }
  assert.is(neighbours.types.size, 1);
  assert.ok(looks <= 6 * MANY, `${looks} looks`);
});

test.run();
