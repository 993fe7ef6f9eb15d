/**
 * Compares a zone file with the stored records of its zone. Pure, so that it can run in a worker
 * thread.
 */

import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import type { MasterError, MasterWarning } from '../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatRelative, type Name } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type ReadInput, readZone } from './prepare.ts';
import { readStored } from './stored.ts';

export interface CompareInput extends ReadInput {
  /** See stored.ts. */
  readonly stored: Uint8Array;
  /** Maximum number of listed records of each kind. */
  readonly limit: number;
}

interface PlannedRecord {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
}

export interface Comparison {
  /** Number of records in the file. */
  readonly count: number;
  readonly created: Changes<PlannedRecord>;
  readonly changed: Changes<PlannedRecord & { readonly ttl_before: number }>;
  readonly deleted: Changes<PlannedRecord>;
  readonly unchanged: number;
  readonly errors: readonly MasterError[];
  readonly warnings: readonly MasterWarning[];
}

/** The number of all changes of a kind, and the first of them. */
interface Changes<T> {
  readonly count: number;
  readonly records: readonly T[];
}

export function compareZone(input: CompareInput): Comparison {
  const { apex, limit, stored } = input;
  const { owners, errors, warnings } = readZone(input);
  owners.sort();
  const before = new Map<string, number>();
  for (const { key, ttl } of readStored(stored)) before.set(key, ttl);
  const created = new Collector<PlannedRecord>(limit);
  const changed = new Collector<PlannedRecord & { ttl_before: number }>(limit);
  const deleted = new Collector<PlannedRecord>(limit);
  let count = 0;
  let unchanged = 0;
  for (const { name, sets } of owners)
    for (const { type, ttl, rdatas } of sets) {
      const prefix = latin1(name) + String.fromCharCode(type >> 8, type & 255);
      const view = (rdata: Uint8Array) => viewPlanned(apex, name, type, rdata, ttl);
      for (const rdata of rdatas) {
        count++;
        const key = prefix + latin1(rdata);
        const ttlBefore = before.get(key);
        before.delete(key);
        if (ttlBefore === ttl) unchanged++;
        else if (ttlBefore === undefined) created.add(() => view(rdata));
        else changed.add(() => ({ ...view(rdata), ttl_before: ttlBefore }));
      }
    }
  // The remaining records are not in the file. A second pass lists them in the order of the zone.
  if (before.size > 0)
    for (const { key, name, type, ttl, rdata } of readStored(stored))
      if (before.has(key)) deleted.add(() => viewPlanned(apex, name, type, rdata, ttl));
  return { count, created, changed, deleted, unchanged, errors, warnings };
}

const viewPlanned = (apex: Name, name: Name, type: number, rdata: Uint8Array, ttl: number): PlannedRecord => ({
  name: formatRelative(name, apex),
  type: typeName(type),
  content: formatRdata(type, rdata),
  ttl,
});

class Collector<T> implements Changes<T> {
  count = 0;
  readonly records: T[] = [];

  constructor(private readonly limit: number) {}

  /** Calls `view` only for listed records. */
  add(view: () => T): void {
    if (this.count++ < this.limit) this.records.push(view());
  }
}
