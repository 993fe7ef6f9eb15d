/** Reads all records of a domain, and yields to other requests in between. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, type Id, recordsOfZone } from '../../../core/store/keys.ts';

/** Milliseconds between two yields, and records between two checks of the time. */
const YIELD_INTERVAL = 4;
const LOOK = 64;

/**
 * Calls `visit` with each key and encoded value, in canonical order, until it returns true. The
 * buffers belong to the store and are valid only until `visit` returns. Concurrent writes may be
 * visible or not.
 */
export async function scanRecords(
  { records }: Environment,
  domainId: Id,
  visit: (key: Buffer, value: Buffer) => boolean,
): Promise<void> {
  let start = recordsOfZone(domainId);
  const end = afterPrefix(start);
  for (let isDone = false; !isDone; ) {
    const until = performance.now() + YIELD_INTERVAL;
    let count = 0;
    isDone = true;
    for (const { key, value } of records.getRange({ start, end })) {
      if (visit(key as Buffer, value)) return;
      if (++count % LOOK === 0 && performance.now() > until) {
        start = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
        isDone = false;
        break;
      }
    }
    if (!isDone) await turn();
  }
}
