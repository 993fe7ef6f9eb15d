/**
 * Large imports in progress (core/journal/apply/import-entries.ts). Every entry of such an import
 * starts with the row of its domain, so two imports of a domain conflict. The last entry deletes
 * the row; deleting it earlier withdraws the import.
 */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

/** Consecutive ids of new records. */
interface IdBlock {
  readonly domainId: Id;
  readonly firstId: Id;
  readonly count: number;
}

export interface ImportRow extends IdBlock {
  /** The apex of the zone, in hexadecimal. The domain may not exist yet. */
  readonly apex: string;
  /** The node that imports; empty: a single node. */
  readonly node: string;
  /** The number of records in the entries up to this one. */
  readonly written: number;
  /** Only in the last entry, which reveals the records; null: the records stay hidden. */
  readonly end: ImportEnd | null;
}

/** Sums that the importing node has computed, so that other nodes read no records for them. */
interface ImportEnd {
  /** Bytes of the new records: see core/store/row-owner.ts. */
  readonly bytes: number;
  /** The records that the import replaces, which are all others of the domain. */
  readonly replaced: { readonly count: number; readonly bytes: number };
}

export const imports = jsonTable<ImportRow>({
  number: 60,
  name: 'imports',
  level: 8,
  quota: { none: 'one for each large import in progress, of which a node has one at a time' },
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});
