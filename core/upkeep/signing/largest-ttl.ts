/** The longest TTL of the records of a zone. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, recordsOfZone } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';

/** Records that are read per turn of the event loop: a few milliseconds. */
const PIECE = 5000;

/** In seconds. A stored record starts with its TTL. */
export async function findLargestTtl(
  { records }: Environment,
  { nsTtl, soaTtl }: Pick<ZoneSettings, 'nsTtl' | 'soaTtl'>,
  { id, kept }: Domain,
): Promise<number> {
  let largest = Math.max(nsTtl, kept?.ttl ?? soaTtl);
  let start: Buffer | undefined = recordsOfZone(id);
  const end = afterPrefix(start);
  while (start !== undefined) {
    let next: Buffer | undefined;
    let count = 0;
    for (const { key, value } of records.getRange({ start, end, limit: PIECE })) {
      largest = Math.max(largest, value.readUInt32BE(0));
      if (++count === PIECE) next = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
    }
    start = next;
    if (next !== undefined) await yieldToOthers();
  }
  return largest;
}
