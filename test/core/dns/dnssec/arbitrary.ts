/** Generators of RRsets in any form: case, order and repetitions vary. */
import { RDATA_TABLE } from '../../../../core/dns/wire/rdata/table.ts';
import { WireReader } from '../../../../core/dns/wire/rdata/wire-reader.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import fc from '../../../support/fc.ts';
import { anyName, RDATA } from '../wire/arbitrary.ts';

/** A name with some of its letters as capitals. */
const mixed = (name: Uint8Array, start: number, pattern: number): void => {
  let bit = 0;
  for (let p = start; name[p] !== 0; p += name[p] + 1)
    for (let i = p + 1; i <= p + name[p]; i++)
      if (name[i] >= 0x61 && name[i] <= 0x7a && (pattern >> (bit++ & 15)) & 1) name[i] -= 0x20;
};

/** The rdata with capitals in its names, whatever the type. */
function withCapitals(type: number, rdata: Uint8Array, pattern: number): Uint8Array {
  const reader = new WireReader(type, rdata);
  const starts: number[] = [];
  reader.nameStarts = starts;
  for (const field of RDATA_TABLE.get(type)!.fields) field.format(reader);
  const copy = Uint8Array.from(rdata);
  for (const start of starts) mixed(copy, start, pattern);
  return copy;
}

/** An RRset of any type, in any order and case, with repetitions that may differ in case. */
export const anyRRset = fc
  .record({
    owner: anyName,
    type: fc.constantFrom(...[...RDATA.keys()].filter((type) => type !== TYPE.ALIAS)),
    ttl: fc.nat(0x7fffffff),
    pattern: fc.nat(0xffff),
  })
  .chain(({ owner, type, ttl, pattern }) =>
    fc.array(RDATA.get(type)!, { minLength: 1, maxLength: 4 }).map((rdatas) => {
      const name = Uint8Array.from(owner);
      mixed(name, 0, pattern);
      const all = rdatas.flatMap((rdata, i) =>
        (pattern >> i) & 1 ? [withCapitals(type, rdata, pattern), rdata] : [rdata],
      );
      return { owner: name, type, ttl, rdatas: all };
    }),
  );
