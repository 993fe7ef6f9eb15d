import type { Domain } from '../../../core/store/rows.ts';
import type { Name } from '../../../core/wire/name.ts';
import type { RRset } from '../../../core/wire/types.ts';
import { type ApexDefaults, apexSets } from '../../../core/zone/apex.ts';
import { compileZone } from '../../../core/zone/bulk.ts';
import { MemoryZone } from '../../../core/zone/memory.ts';

import type { Owners } from './owners.ts';

interface Source {
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

/** Nodes of all names but the apex, for a zone without nested ones. The serial that they are made with shows in none of them. */
export function compileOwners(domain: Domain, owners: Owners, defaults: ApexDefaults): Uint8Array {
  return compileZone(new MemoryZone(domain.apex, sources(domain, owners, defaults)));
}

function* sources(domain: Domain, owners: Owners, defaults: ApexDefaults): Generator<Source> {
  const { apex } = domain;
  const atApex: RRset[] = [];
  for (const { name, sets } of owners)
    for (const { type, ttl, rdatas } of sets) {
      if (name.length === apex.length) atApex.push({ type, ttl, rdatas });
      else for (const rdata of rdatas) yield { name, type, ttl, rdata };
    }
  for (const { type, ttl, rdatas } of apexSets(atApex, domain, defaults, 0))
    for (const rdata of rdatas) yield { name: apex, type, ttl, rdata };
}
