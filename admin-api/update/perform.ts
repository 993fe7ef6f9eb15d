/** One update as one commit: prerequisites, records, rules, audit. */
import { createHash } from 'node:crypto';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { afterPrefix, idKey } from '../../core/store/keys.ts';
import { type Domain, records } from '../../core/store/rows.ts';
import type { HeldKey } from '../../core/tsig/keyring.ts';
import { formatRelative, type Name, nameId } from '../../core/wire/name.ts';
import { CLASS_IN, RCODE, type RRset, TYPE } from '../../core/wire/types.ts';
import type { UpdateMessage } from '../../core/wire/update.ts';
import { apexSets } from '../../core/zone/apex.ts';
import { change } from '../change/change.ts';
import type { Services } from '../change/services.ts';
import { Steps } from '../change/steps.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { newRequestId } from '../http/request-id.ts';
import { declareZoneRead, MAX_SINGLE_READS } from '../records/batch.ts';
import { applyUpdate, prescan } from './apply.ts';
import { callerOf, requireUpdatable, updatedDomain } from './authorize.ts';
import { checkPrerequisites, type Owned, type OwnedAt } from './prerequisites.ts';
import { writeBack } from './write-back.ts';
import { ZoneCopy } from './zone-copy.ts';

/**
 * Resolves when what the update asks for is on disk and served; nothing was written when it asks for what is there, or when the message with this code (`mac`) changed
 * something before. Rejects with UpdateError, and then nothing has changed, and with what `change` throws.
 */
export async function performUpdate(
  services: Services,
  key: HeldKey,
  remoteAddress: string,
  mac: Uint8Array,
  { zone, prerequisites, updates }: UpdateMessage,
): Promise<void> {
  const { reader, turns } = services;
  const { id, apex } = updatedDomain(reader, key, zone);
  const idempotency = idempotencyOf(key, mac);
  const requester = { caller: callerOf(key), requestId: newRequestId(), remoteAddress, idempotency, headers: {} };
  const isMany = prerequisites.length + updates.length > MAX_SINGLE_READS;
  const commit = async (): Promise<void> => {
    await change(services, requester, async (draft) => {
      const domain = requireUpdatable(draft, key, id);
      if (isMany) declareZoneRead(draft, domain);
      const asFound = servedAt(services, draft, domain);
      if (prerequisites.some(({ type, class: qclass }) => type === TYPE.SOA && qclass === CLASS_IN))
        // The serial that is compared rises with every change of the zone.
        draft.addReadRange({ table: records.number, start: idKey(id), end: afterPrefix(idKey(id)) });
      const steps = new Steps();
      await checkPrerequisites(apex, prerequisites, asFound, steps);
      prescan(apex, updates);
      const copy = new ZoneCopy(draft, domain);
      const apexNs = updates.some(({ type }) => type === TYPE.NS) ? (asFound(apex).get(TYPE.NS) ?? []) : [];
      for (const record of updates) {
        applyUpdate(copy, record, apexNs);
        await steps.next();
      }
      const { added, deleted, changed, told } = await writeBack(draft, domain, copy, steps);
      const unchanged = added + deleted + changed === 0;
      return {
        action: 'dns.update',
        domain,
        target: id,
        unchanged,
        // It would be a commit for nothing.
        isForgotten: unchanged,
        detail: { key: key.row.name, added, deleted, changed, records: told },
        answer: () => ({ rcode: RCODE.NOERROR }),
      };
    });
  };
  const names = new Map(updates.map(({ name }) => [nameId(name), name]));
  const [first] = names.values();
  if (first === undefined) return commit();
  // As single writes of the API do; of several names each would have to wait for its turn, and what counts the whole zone as read conflicts with every write to it.
  if (names.size > 1 || isMany) return turns.exclusive(id, commit);
  return turns.shared(id, () => turns.exclusive(`${id} ${formatRelative(first, apex)}`, commit));
}

/** A message is known by its code, on every node and after a restart, from the commit on that it made. */
function idempotencyOf({ row }: HeldKey, mac: Uint8Array): Idempotency {
  const id = createHash('sha256').update(`update ${row.id} `).update(mac).digest('hex').slice(0, 32);
  return { id, request: Buffer.from(mac) };
}

/** What a name owns as it is served: at the apex with SOA and NS. Each name is read once, however often it is asked for. */
function servedAt({ reader, zoneSettings }: Services, draft: Draft, domain: Domain): OwnedAt {
  const known = new Map<string, Owned>();
  const read = (name: Name): Owned => {
    const sets = new Map<number, { readonly type: number; readonly ttl: number; readonly rdatas: Uint8Array[] }>();
    for (const { type, ttl, rdata } of draft.recordsAt(domain.id, name)) {
      const set = sets.get(type);
      if (set === undefined) sets.set(type, { type, ttl, rdatas: [rdata] });
      else set.rdatas.push(rdata);
    }
    const own: readonly RRset[] = [...sets.values()];
    const isApex = name.length === domain.apex.length;
    const all = isApex ? apexSets(own, domain, zoneSettings, reader.zoneState(domain.id).serial) : own;
    return new Map(all.map(({ type, rdatas }) => [type, rdatas]));
  };
  return (name) => {
    const id = nameId(name);
    let owned = known.get(id);
    if (owned === undefined) {
      owned = read(name);
      known.set(id, owned);
    }
    return owned;
  };
}
