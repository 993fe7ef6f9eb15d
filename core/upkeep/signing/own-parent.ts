/**
 * A parent zone of the same account in this service. Its DS records are read from the store, and
 * written in the same commit as the state of the child.
 */
import { dsRdata } from '../../dns/dnssec/dnskey.ts';
import { equalNames, type Name, parentName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import { parentText } from '../../net/resolver/parent-zone.ts';
import type { Reader } from '../../store/reader.ts';
import { type Domain, newRecord, type ParentLook, type RecordRow, records } from '../../store/rows.ts';
import { wantedKeys } from './advice.ts';
import { dsMatches } from './parent.ts';
import type { SignedZone } from './zone-lifecycle.ts';

/** TTL of new DS records, in seconds. */
const DS_TTL = 3600;

/** Null: the parent zone is not in this service, or belongs to another account. */
export function findOwnParent(reader: Reader, { apex, accountId }: Domain): Domain | null {
  for (let name = parentName(apex); name.length > 1; name = parentName(name)) {
    const domain = reader.domainByApex(name);
    if (domain !== undefined)
      return domain.accountId === accountId && !isDelegated(reader, domain, apex) ? domain : null;
  }
  return null;
}

/** Whether a name between both apexes is delegated to other servers. */
function isDelegated(reader: Reader, parent: Domain, apex: Name): boolean {
  for (let name = parentName(apex); !equalNames(name, parent.apex); name = parentName(name))
    if (reader.recordsAt(parent.id, name).some(({ type }) => type === TYPE.NS)) return true;
  return false;
}

const dsRecords = (reader: Reader, parent: Domain, apex: Name): RecordRow[] =>
  reader.recordsAt(parent.id, apex).filter(({ type }) => type === TYPE.DS);

/** The DS records of such a parent. `now`: seconds since 1970. */
export function lookAtOwnParent(reader: Reader, parent: Domain, apex: Name, now: number): ParentLook {
  const rows = dsRecords(reader, parent, apex);
  return {
    zone: parentText(parent.apex),
    ttl: rows.reduce((ttl, row) => Math.max(ttl, row.ttl), 0),
    sets: [rows.map(({ rdata }) => Buffer.from(rdata).toString('hex')).sort()],
    servers: 1,
    answered: 1,
    checkedAt: now,
  };
}

/**
 * Sets the DS records of the parent to those of the zone's CDS, in the commit of the draft. Records
 * of other keys stay. `zone` null: it is no longer signed. `before`: the state before the commit.
 */
export function updateOwnParent(
  draft: Draft,
  { apex, ...domain }: Domain,
  zone: SignedZone | null,
  before: SignedZone | null,
  now: number,
): void {
  const parent = findOwnParent(draft, { apex, ...domain });
  if (parent === null) return;
  const trusted = zone !== null && zone.row.parent === 'publish' ? wantedKeys(zone) : [];
  const wanted = trusted.map(({ dnskey }) => dsRdata(apex, Buffer.from(dnskey, 'base64')));
  const keys = [before, zone].flatMap((each) => [
    ...(each?.row.keys.map(({ dnskey }) => dnskey) ?? []),
    ...(each?.state.retired ?? []),
  ]);
  const rows = dsRecords(draft, parent, apex);
  for (const row of rows) {
    const isOurs = keys.some((dnskey) => dsMatches(row.rdata, apex, Buffer.from(dnskey, 'base64')));
    if (isOurs && !wanted.some((rdata) => equalNames(rdata, row.rdata))) draft.delete(records, row);
  }
  for (const rdata of wanted) {
    if (rows.some((row) => equalNames(row.rdata, rdata))) continue;
    // All records of an RRset have the same TTL.
    const record = { name: apex, type: TYPE.DS, ttl: rows[0]?.ttl ?? DS_TTL, rdata };
    draft.put(records, newRecord(draft.newId(records), parent.id, record, now));
  }
}
