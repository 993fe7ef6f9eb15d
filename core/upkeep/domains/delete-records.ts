/** Deletes the records of a domain, which an import replaces. */
import { Steps } from '../../base/steps.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import type { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, recordKeyParts } from '../../store/keys.ts';
import { startAfter } from '../../store/raw-reader.ts';
import { type Domain, proxiedOf, records, spellings } from '../../store/rows.ts';

interface Deletion {
  readonly environment: Environment;
}

const NONE: ReadonlySet<number> = new Set();
const NOTHING = new Uint8Array();
/** Records read between two yields to the event loop. */
const PAGE = 256;

/**
 * Deletes all records of a domain. The whole range counts as read. `keeps`: types that stay.
 * Returns the number of kept records, and `proxied` by the canonical key of the name in Latin-1 for
 * names that set it.
 */
export async function deleteRecords(
  { environment }: Deletion,
  draft: Draft,
  domain: Domain,
  changes: ChangeWriter,
  keeps: ReadonlySet<number> = NONE,
): Promise<{ readonly flags: ReadonlyMap<string, boolean>; readonly kept: number }> {
  const end = afterPrefix(idKey(domain.id));
  draft.addReadRange({ table: records.number, start: idKey(domain.id), end });
  const flags = new Map<string, boolean>();
  const steps = new Steps();
  let kept = 0;
  // A change between two pages is a conflict.
  for (let start: Buffer | null = idKey(domain.id); start !== null; await steps.next()) {
    let last: Buffer | null = null;
    for (const { key, value } of environment.records.getRange({ start, end, limit: PAGE })) {
      last = key as Buffer;
      const { nameEnd, type } = recordKeyParts(last);
      if (keeps.has(type)) {
        kept++;
        continue;
      }
      changes.delete(records.number, last);
      const proxied = proxiedOf(value);
      if (proxied !== null) flags.set(last.toString('latin1', 8, nameEnd), proxied);
    }
    start = last && startAfter(last, NOTHING);
  }
  return { flags, kept };
}

/** Deletes the spellings of names from a zone file. */
export function deleteSpellings({ environment }: Deletion, draft: Draft, domainId: Id, changes: ChangeWriter): void {
  const start = idKey(domainId);
  const end = afterPrefix(start);
  const table = spellings.number;
  draft.addReadRange({ table, start, end });
  for (const key of environment.rows.get(table)!.getKeys({ start, end })) changes.delete(table, key as Buffer);
}
