/**
 * Many differences that follow one another become one: what was added and deleted again is in none
 * (RFC 1995 section 4).
 */

import { latin1 } from '../../dns/wire/latin1.ts';
import type { ResourceRecord } from '../../dns/wire/types.ts';
import type { ZoneDifference } from '../../journal/apply/zone-difference.ts';

/** `differences`: one or more, each from the serial that the one before leads to. */
export function condense(differences: readonly ZoneDifference[]): ZoneDifference {
  if (differences.length === 1) return differences[0];
  const removed = new Map<string, ResourceRecord>();
  const added = new Map<string, ResourceRecord>();
  for (const difference of differences) {
    for (const record of difference.removed) {
      const id = recordId(record);
      if (!added.delete(id)) removed.set(id, record);
    }
    for (const record of difference.added) {
      const id = recordId(record);
      if (!removed.delete(id)) added.set(id, record);
    }
  }
  const last = differences[differences.length - 1];
  return { from: differences[0].from, to: last.to, removed: [...removed.values()], added: [...added.values()] };
}

/** Equal for equal records, the TTL among what makes them so. */
function recordId({ name, type, ttl, rdata }: ResourceRecord): string {
  return `${type} ${ttl} ${latin1(name)} ${latin1(rdata)}`;
}
