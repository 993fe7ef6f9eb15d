/** Performs an update as one commit: prerequisites, records, rules, audit entry. */
import { createHash } from 'node:crypto';
import { Steps } from '../../../core/base/steps.ts';
import { formatName, formatRelative, type Name, nameId } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import type { UpdateMessage, Zone } from '../../../core/dns/wire/update.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { afterPrefix, type Id, idKey } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { permits, RECORD_ACTIONS } from '../../../core/store/record-policies.ts';
import { type Domain, records, type TsigKeyRow, tsigKeys } from '../../../core/store/rows.ts';
import { type HeldKey, mayUse } from '../../../core/store/tsig-keys/keyring.ts';
import { apexSets } from '../../../core/zone/compile/apex.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { newRequestId } from '../../http/request-id.ts';
import { declareZoneRead, MAX_SINGLE_READS } from '../records/batch.ts';
import { changeZone } from '../records/ptrs.ts';
import { applyUpdate, prescan } from './apply.ts';
import { refused, UpdateError } from './fault.ts';
import { checkPrerequisites, type Owned, type OwnedAt } from './prerequisites.ts';
import { writeBack } from './write-back.ts';
import { ZoneCopy } from './zone-copy.ts';

/**
 * Resolves when the update is on disk and served. Writes nothing if the zone already has the
 * requested records, or if the message with this code (`mac`) was applied before. Rejects with
 * UpdateError, without a change, or with the errors of `change`.
 */
export async function performUpdate(
  services: Services,
  key: HeldKey,
  remoteAddress: string,
  mac: Uint8Array,
  { zone, prerequisites, updates }: UpdateMessage,
): Promise<void> {
  const { reader, locks } = services;
  const { id, apex } = updatedDomain(reader, key, zone);
  const idempotency = idempotencyOf(key, mac);
  const requester = { caller: callerOf(key), requestId: newRequestId(), remoteAddress, idempotency, headers: {} };
  const isMany = prerequisites.length + updates.length > MAX_SINGLE_READS;
  const commit = async (): Promise<void> => {
    await changeZone(services, requester, async (draft) => {
      const domain = requireUpdatable(draft, key, id);
      const { row } = key;
      if (isMany) declareZoneRead(draft, domain);
      const ownedAt = createServedReader(services, draft, domain);
      if (prerequisites.some(({ type, class: qclass }) => type === TYPE.SOA && qclass === CLASS_IN))
        // Reads the whole zone, because every change of the zone increases the compared serial.
        draft.addReadRange({ table: records.number, start: idKey(id), end: afterPrefix(idKey(id)) });
      const steps = new Steps();
      for (const { name, type } of prerequisites) requireNamed(row, domain, name, type);
      await checkPrerequisites(apex, prerequisites, ownedAt, steps);
      prescan(apex, updates);
      const copy = new ZoneCopy(draft, domain);
      const apexNs = updates.some(({ type }) => type === TYPE.NS) ? (ownedAt(apex).get(TYPE.NS) ?? []) : [];
      for (const record of updates) {
        applyUpdate(copy, record, apexNs);
        await steps.next();
      }
      const { added, deleted, changed, lines } = await writeBack(draft, domain, copy, steps);
      const unchanged = added + deleted + changed === 0;
      return {
        action: 'dns.update',
        domain,
        target: id,
        unchanged,
        // Avoids a commit that would only store the response.
        skipsReplay: unchanged,
        detail: { key: key.row.name, added, deleted, changed, records: lines },
        createResponse: () => ({ rcode: RCODE.NOERROR }),
      };
    });
  };
  const names = new Map(updates.map(({ name }) => [nameId(name), name]));
  const [first] = names.values();
  if (first === undefined) return commit();
  // One name is locked like a single write of the API. Several names, or the whole zone as read,
  // lock the whole domain.
  if (names.size > 1 || isMany) return locks.exclusive(String(id), commit);
  return locks.shared(String(id), () => locks.exclusive(`${id} ${formatRelative(first, apex)}`, commit));
}

/** From its commit on, every node recognizes a message by its code, even after a restart. */
function idempotencyOf({ row }: HeldKey, mac: Uint8Array): Idempotency {
  const id = createHash('sha256').update(`update ${row.id} `).update(mac).digest('hex').slice(0, 32);
  return { id, request: Buffer.from(mac) };
}

/**
 * Returns the served records of a name, including SOA and NS at the apex. Each name is read only
 * once.
 */
function createServedReader({ reader, zoneSettings }: Services, draft: Draft, domain: Domain): OwnedAt {
  const readNames = new Map<string, Owned>();
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
    let owned = readNames.get(id);
    if (owned === undefined) {
      owned = read(name);
      readNames.set(id, owned);
    }
    return owned;
  };
}

/**
 * The domain of the zone section (RFC 2136 3.1.2). Throws UpdateError NOTAUTH, also for a domain of
 * another account, and REFUSED if the key must not write to the domain.
 */
export function updatedDomain(reader: Reader, key: HeldKey, zone: Zone): Domain {
  const domain = zone.class === CLASS_IN ? reader.domainByApex(zone.name) : undefined;
  if (domain === undefined || domain.accountId !== key.account.id)
    throw new UpdateError(RCODE.NOTAUTH, `${formatName(zone.name)} is not a zone of the account of the key`);
  requirePrimary(domain);
  if (!mayUse(key, domain, 'write')) throw refused('the key does not allow updates of the zone');
  return domain;
}

/** RFC 2136 section 3.1.2: this server is not a primary of the zone. */
function requirePrimary({ kind }: Domain): void {
  if (kind !== 'primary') throw new UpdateError(RCODE.NOTAUTH, `the records of a ${kind} zone are not changed here`);
}

/** The same check in the draft, because the key may have been deleted or changed since. */
function requireUpdatable(draft: Draft, key: HeldKey, domainId: Id): Domain {
  const row = draft.row(tsigKeys, tsigKeys.key(key.row));
  const account = draft.account(key.account.id);
  if (row === undefined || account?.apiEnabled !== true) throw refused('the key was deleted');
  const domain = draft.domain(domainId);
  if (domain === undefined || domain.accountId !== account.id)
    throw new UpdateError(RCODE.NOTAUTH, 'the zone was deleted');
  requirePrimary(domain);
  if (!mayUse({ ...key, row, account }, domain, 'write')) throw refused('the key no longer allows updates of the zone');
  return domain;
}

/** A prerequisite tells whether records exist, so it is limited to what the policies name. */
function requireNamed({ policies }: TsigKeyRow, { apex }: Domain, name: Name, type: number): void {
  if (policies === undefined) return;
  if (!permits(policies, apex, name, type === TYPE.ANY ? null : type, ...RECORD_ACTIONS))
    throw refused('the policies of the key do not name a prerequisite');
}

/** The key as a caller, in place of a token, for the audit log and the commit. */
function callerOf({ row, account }: HeldKey): Caller {
  const { id, accountId, name, scopes, policies, createdAt }: TsigKeyRow = row;
  return { account, token: { id, accountId, name, hash: '', scopes, policies, createdAt, expiresAt: null } };
}
