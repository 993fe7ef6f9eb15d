/** Converts changes of a domain from rows to responses. */

import type { Steps } from '../../../core/base/steps.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { commentsRow, type PastDnssec, type PastProxy } from '../../../core/store/history.ts';
import type { Domain, RecordRow } from '../../../core/store/rows.ts';
import { formatTime } from '../../http/time.ts';
import { viewSettings } from '../../sites/proxy/settings.ts';
import { textOf } from '../records/comment.ts';
import { type CommentsChange, netChanges } from './plan.ts';
import type { DomainChange, RecordChange } from './timeline.ts';

/** Records of a change in a list of changes. */
const MAX_LISTED = 100;
/** Records in the response to a restore. */
export const MAX_RESTORED = 1000;
/** Bytes of the values in either list. A record has up to 48,000 bytes. */
const MAX_LISTED_BYTES = 512 * 1024;

interface ChangeViewOptions {
  /** Whether the caller may read the proxy. */
  readonly showsProxy: boolean;
  readonly steps: Steps;
}

export async function viewChange(domain: Domain, change: DomainChange, { showsProxy, steps }: ChangeViewOptions) {
  const { actor, action, dnssec } = change.about;
  const proxy = showsProxy ? change.about.proxy : undefined;
  return {
    seq: change.seq,
    at: formatTime(change.at),
    actor: actor && { id: actor.accountId, username: actor.username, token_name: actor.tokenName },
    by_admin: actor !== null && actor.accountId !== domain.accountId,
    action,
    is_creation: change.isCreation,
    ...(change.isComplete
      ? await viewRecords(domain, await netChanges(change.records, steps), MAX_LISTED, steps)
      : { records: [], record_count: change.recordCount }),
    comments: viewComments(domain, pastComments(domain, change)),
    proxy: proxy === undefined ? null : { before: viewProxy(proxy.before), after: viewProxy(proxy.after) },
    dnssec: dnssec === undefined ? null : { before: viewDnssec(dnssec.before), after: viewDnssec(dnssec.after) },
    is_complete: change.isComplete,
  };
}

/** Whether a search finds the change, by its actor, its action or a record. */
export async function hasText(
  domain: Domain,
  change: DomainChange,
  matches: (...texts: readonly string[]) => boolean,
  steps: Steps,
): Promise<boolean> {
  const {
    about: { actor, action },
    records,
  } = change;
  if (matches(actor?.username ?? '', actor?.tokenName ?? '', action ?? '')) return true;
  for (const { before, after } of viewComments(domain, pastComments(domain, change)))
    if (matches(before ?? '', after ?? '')) return true;
  for (const { before, after } of await netChanges(records, steps))
    for (const row of [before, after]) {
      const record = viewPastRecord(domain, row);
      if (record !== null && matches(`${record.name} ${record.type} ${record.content}`)) return true;
      await steps.next();
    }
  return false;
}

/** At most `limit` of the changes, and fewer if their contents are long. */
export async function viewRecords(domain: Domain, changes: readonly RecordChange[], limit: number, steps: Steps) {
  const listed: ReturnType<typeof viewRecordChange>[] = [];
  let bytes = 0;
  for (const change of changes) {
    if (listed.length === limit || bytes >= MAX_LISTED_BYTES) break;
    bytes += (change.before?.rdata.length ?? 0) + (change.after?.rdata.length ?? 0);
    listed.push(viewRecordChange(domain, change));
    await steps.next();
  }
  return { records: listed, record_count: changes.length };
}

const pastComments = ({ id }: Domain, { about }: DomainChange): CommentsChange[] =>
  (about.comments ?? []).map(({ owner, before, after }) => ({
    before: before ?? [],
    after: commentsRow(id, owner, after),
  }));

/** Comments whose text differs. */
export const viewComments = ({ apex }: Domain, changes: readonly CommentsChange[]) =>
  changes
    .map(({ before, after: { name, type, comments } }) => ({
      name: formatRelative(name, apex),
      type: typeName(type),
      before: textOf(before),
      after: textOf(comments),
    }))
    .filter(({ before, after }) => before !== after);

const viewRecordChange = (domain: Domain, { before, after }: RecordChange) => ({
  kind: after === null ? ('deleted' as const) : before === null ? ('created' as const) : ('updated' as const),
  before: viewPastRecord(domain, before),
  after: viewPastRecord(domain, after),
});

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
      ...viewSettings(row),
    }
  );
}

function viewDnssec(row: PastDnssec | null) {
  return row && { is_enabled: row.enabled, algorithm: row.algorithm, keys: row.keys, foreign_keys: row.foreign };
}
