/** Converts changes of a domain from rows to responses. */
import type { PastDnssec, PastProxy } from '../../core/store/history.ts';
import type { Domain, RecordRow } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { formatRelative } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { formatTime } from '../http/time.ts';
import { netChanges } from './plan.ts';
import type { DomainChange, RecordChange } from './timeline.ts';

/** Records of a change in a list of changes. */
const MAX_LISTED = 100;
/** Records in the response to a restore. */
export const MAX_RESTORED = 1000;

export function viewChange(domain: Domain, change: DomainChange) {
  const { actor, action, proxy, dnssec } = change.about;
  return {
    seq: change.seq,
    at: formatTime(change.at),
    actor: actor && { id: actor.accountId, username: actor.username, token_name: actor.tokenName },
    by_admin: actor !== null && actor.accountId !== domain.accountId,
    action,
    is_creation: change.isCreation,
    ...(change.isComplete
      ? viewRecords(domain, netChanges(change.records), MAX_LISTED)
      : { records: [], record_count: change.recordCount }),
    proxy: proxy === undefined ? null : { before: viewProxy(proxy.before), after: viewProxy(proxy.after) },
    dnssec: dnssec === undefined ? null : { before: viewDnssec(dnssec.before), after: viewDnssec(dnssec.after) },
    is_complete: change.isComplete,
  };
}

/** The texts of a change that a search looks at. */
export function textsOf(domain: Domain, { about, records }: DomainChange): string[] {
  const { actor, action } = about;
  const rows = netChanges(records).flatMap(({ before, after }) => [before, after]);
  return [
    ...(actor === null ? [] : [actor.username, actor.tokenName ?? '']),
    action ?? '',
    ...rows.flatMap((row) => {
      const record = viewPastRecord(domain, row);
      return record === null ? [] : [`${record.name} ${record.type} ${record.content}`];
    }),
  ];
}

export function viewRecords(domain: Domain, changes: readonly RecordChange[], limit: number) {
  return {
    records: changes.slice(0, limit).map(({ before, after }) => ({
      kind: after === null ? ('deleted' as const) : before === null ? ('created' as const) : ('updated' as const),
      before: viewPastRecord(domain, before),
      after: viewPastRecord(domain, after),
    })),
    record_count: changes.length,
  };
}

function viewPastRecord({ apex }: Domain, row: RecordRow | null) {
  if (row === null) return null;
  const { id, name, type, rdata, ttl, proxied } = row;
  return {
    id,
    name: formatRelative(name, apex),
    type: typeName(type),
    content: formatRdata(type, rdata),
    ttl,
    proxied,
  };
}

function viewProxy(row: PastProxy | null) {
  return (
    row && {
      is_enabled: row.enabled,
      origin_host: row.originHost,
      origin_port: row.originPort,
      origin_protocol: row.originProtocol,
      hsts_max_age: row.hstsMaxAge ?? null,
      hsts_include_subdomains: row.hstsIncludeSubdomains ?? false,
      hsts_preload: row.hstsPreload ?? false,
      heuristic_freshness: row.heuristicFreshness ?? false,
    }
  );
}

function viewDnssec(row: PastDnssec | null) {
  return row && { is_enabled: row.enabled, algorithm: row.algorithm, keys: row.keys, foreign_keys: row.foreign };
}
