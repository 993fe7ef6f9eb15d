/**
 * Checks the prerequisites of an update (RFC 2136 2.4, 3.2), in the order of the RFC's pseudocode.
 */

import type { Steps } from '../../../core/base/steps.ts';
import type { MessageRecord } from '../../../core/dns/wire/message-reader.ts';
import { isDataType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, isWithin, type Name, nameId } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { CLASS_ANY, CLASS_NONE } from '../../../core/dns/wire/update.ts';
import { formerr, UpdateError } from './fault.ts';

/** Rdata of the served records of a name, by type. Empty for an empty non-terminal (2.4.4). */
export type Owned = ReadonlyMap<number, readonly Uint8Array[]>;
export type OwnedAt = (name: Name) => Owned;

/** Rejects with UpdateError: FORMERR, NOTZONE, or the code of the failed prerequisite. */
export async function checkPrerequisites(
  apex: Name,
  prerequisites: readonly MessageRecord[],
  owned: OwnedAt,
  steps: Steps,
): Promise<void> {
  const wanted = new Map<string, { readonly name: Name; readonly type: number; readonly rdatas: Uint8Array[] }>();
  for (const record of prerequisites) {
    const { name, type, rdata } = record;
    checkForm(apex, record);
    await steps.next();
    if (record.class === CLASS_IN) {
      const id = `${type} ${nameId(name)}`;
      const set = wanted.get(id);
      if (set === undefined) wanted.set(id, { name, type, rdatas: [rdata] });
      else set.rdatas.push(rdata);
      continue;
    }
    const found = owned(name);
    const exists = type === TYPE.ANY ? found.size > 0 : found.has(type);
    if (exists === (record.class === CLASS_ANY)) continue;
    const [missing, present] = type === TYPE.ANY ? [RCODE.NXDOMAIN, RCODE.YXDOMAIN] : [RCODE.NXRRSET, RCODE.YXRRSET];
    const what = type === TYPE.ANY ? formatName(name) : `${formatName(name)} ${typeName(type)}`;
    throw new UpdateError(exists ? present : missing, `${what} ${exists ? 'exists' : 'does not exist'}`);
  }
  for (const { name, type, rdatas } of wanted.values()) {
    if (!isSameSet(owned(name).get(type) ?? [], rdatas))
      throw new UpdateError(RCODE.NXRRSET, `${formatName(name)} ${typeName(type)} has other records`);
    await steps.next();
  }
}

function checkForm(apex: Name, { name, type, class: qclass, ttl, rdata }: MessageRecord): void {
  if (ttl !== 0) throw formerr('a prerequisite has a TTL');
  if (!isWithin(name, apex)) throw new UpdateError(RCODE.NOTZONE, `${formatName(name)} is not in the zone`);
  if (qclass !== CLASS_IN && qclass !== CLASS_ANY && qclass !== CLASS_NONE)
    throw formerr(`a prerequisite has the class ${qclass}`);
  if (qclass !== CLASS_IN && rdata.length > 0) throw formerr('a prerequisite of class ANY or NONE has rdata');
  if (!isDataType(type) && (type !== TYPE.ANY || qclass === CLASS_IN))
    throw formerr(`a prerequisite has the type ${typeName(type)}`);
}

/** Compares as sets: a repeated record counts once (RFC 2181 5). */
function isSameSet(owned: readonly Uint8Array[], wanted: readonly Uint8Array[]): boolean {
  const text = (rdata: Uint8Array): string => Buffer.from(rdata).toString('latin1');
  const all = new Set(owned.map(text));
  const named = new Set(wanted.map(text));
  return all.size === named.size && [...named].every((rdata) => all.has(rdata));
}
