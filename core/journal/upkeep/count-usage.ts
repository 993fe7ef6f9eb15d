/** Counts the usage of accounts and zones anew from the rows. */
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { decodeZoneState, encodeUsage, encodeZoneState, NO_USAGE, type Usage } from '../../store/reader.ts';
import { accountShare, rowOwner, rowSize } from '../../store/row-owner.ts';
import { decodeDomain, domains } from '../../store/rows.ts';

/** Inside a write transaction, with an empty table of usage. The states of zones must be stored. */
export function writeUsage(environment: Environment): void {
  const { rows, usage, zones: states } = environment;
  const zoneBytes = new Map<Id, number>();
  const accounts = new Map<Id, Usage>();
  const add = (accountId: Id, more: Usage): void => {
    const { domains: count, records, bytes, audit } = accounts.get(accountId) ?? NO_USAGE;
    accounts.set(accountId, {
      domains: count + more.domains,
      records: records + more.records,
      bytes: bytes + more.bytes,
      audit: audit + more.audit,
    });
  };
  for (const [table, stored] of rows) {
    const owner = rowOwner(table);
    if (owner === 'none') continue;
    for (const { key, value } of stored.getRange({})) {
      if (owner === 'zone') {
        const domainId = idAt(key);
        zoneBytes.set(domainId, (zoneBytes.get(domainId) ?? 0) + rowSize(table, key, value, true));
      } else if (owner === 'audit') add(idAt(key), { ...NO_USAGE, audit: rowSize(table, key, value, true) });
      else {
        const { accountId, bytes } = accountShare(table, key, value, true);
        add(accountId, { ...NO_USAGE, bytes });
      }
    }
  }
  for (const { key, value } of rows.get(domains.number)!.getRange({})) {
    const domainId = idAt(key);
    const bytes = zoneBytes.get(domainId) ?? 0;
    const state = decodeZoneState(states.get(idKey(domainId)));
    states.put(idKey(domainId), encodeZoneState(state, bytes));
    add(decodeDomain(value).accountId, { ...NO_USAGE, domains: 1, records: state.recordCount, bytes });
  }
  for (const [accountId, used] of accounts) usage.put(idKey(accountId), encodeUsage(used));
}
