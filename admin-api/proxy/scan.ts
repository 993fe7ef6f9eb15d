/** Reads all records of a domain, in pages: between two of them other requests have their turn. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../../core/store/environment.ts';
import { afterPrefix, recordsOfZone } from '../../core/store/keys.ts';

/** About two milliseconds. */
const PAGE = 2_000;

/**
 * Calls `visit` with each key and encoded value, in canonical order, until it gives true. The buffers are the store's: valid until `visit` returns. What is written meanwhile
 * may be seen or not.
 */
export async function scanRecords(
  { records }: Environment,
  domainId: string,
  visit: (key: Buffer, value: Buffer) => boolean,
): Promise<void> {
  let start = recordsOfZone(domainId);
  const end = afterPrefix(start);
  for (;;) {
    let count = 0;
    let last = start;
    for (const { key, value } of records.getRange({ start, end, limit: PAGE })) {
      last = key as Buffer;
      count++;
      if (visit(last, value)) return;
    }
    if (count < PAGE) return;
    start = Buffer.concat([last, Uint8Array.of(0)]);
    await turn();
  }
}
