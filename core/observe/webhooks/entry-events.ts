/**
 * Derives events from a journal entry. This happens after the write, from its rows and the current
 * state, so that webhooks do not slow down writes.
 */

import type { RecentMap } from '../../base/recent-map.ts';
import { formatHost, parseName } from '../../dns/wire/name.ts';
import { importOf } from '../../journal/apply/import-entries.ts';
import { type Change, type Entry, readFirstChanges } from '../../journal/entry-codec.ts';
import { type Id, idAt } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import { unjson } from '../../store/rows/table.ts';
import {
  type Audit,
  type AutomaticCertificate,
  acmeOrders,
  audits,
  automaticCertificates,
  deletedDomains,
  dnssec,
  dnssecStates,
  domains,
  furtherCertificates,
  type ProxyConfig,
  proxies,
  records,
  type Upload,
  uploads,
} from '../../store/rows.ts';
import { type EventType, formatUtc, type NewEvent } from './payload.ts';

/** Authors of entries without changes that customers see. */
const SILENT: ReadonlySet<string> = new Set(['rotation', 'sweeper', 'delegation', 'bin']);
/** The author of the states of orders. */
const ACME = 'acme';

/** Whether an account has any webhook; without one no events are derived. */
type WantsEvents = (accountId: Id) => boolean;

/** The changes of an entry to a domain. */
interface DomainWrites {
  isPut: boolean;
  isDeleted: boolean;
  leavesBin: boolean;
  hasRecords: boolean;
  proxy: ProxyConfig | null;
  issued: AutomaticCertificate | null;
  /** A new renewal time also writes this row, but without the order. */
  further: AutomaticCertificate | null;
  hasOrder: boolean;
  /** The order of the certificate is still open. */
  isOrdering: boolean;
  hasDnssec: boolean;
  dnssecState: Buffer | null;
}

/** The last reported states of signed zones, so that a state is reported once. */
type ReportedStates = Pick<RecentMap<string, Id>, 'get' | 'set'>;

/** `onOther` receives changes of other tables. */
export function eventsOfEntry(
  entry: Entry,
  reader: Reader,
  wants: WantsEvents,
  reported: ReportedStates,
  onOther: (change: Change) => void = () => {},
): NewEvent[] {
  const byDomain = new Map<Id, DomainWrites>();
  const verdicts: Upload[] = [];
  let audit: Audit | null = null;
  const imported = importOf(entry.changes);
  // The parts of a large import change nothing that can be read; its last entry shows the records.
  if (imported?.end === null) return [];
  if (imported !== null) writesOf(byDomain, imported.domainId).hasRecords = true;
  for (const change of readFirstChanges(entry.changes, records.number)) {
    const { table, key, value } = change;
    if (table === audits.number && value !== null)
      audit = { ...unjson<Omit<Audit, 'id' | 'revision'>>(value), id: entry.sequence, revision: entry.sequence };
    else if (table === uploads.number && value !== null) noteUpload(uploads.decode(key, value), verdicts);
    else if (OF_DOMAIN.has(table)) noteDomain(writesOf(byDomain, idAt(key)), table, key, value);
    else onOther(change);
  }
  if (SILENT.has(entry.by)) return [];
  const events: NewEvent[] = [];
  for (const [domainId, writes] of byDomain) {
    const domain = reader.domain(domainId);
    const accountId = domain?.accountId ?? audit?.accountId;
    if (accountId === undefined || !wants(accountId)) continue;
    const name = domain === undefined ? (audit?.domain ?? null) : formatHost(domain.apex);
    const about: About = { entry, audit, accountId, domain: { id: domainId, domain: name } };
    addDomainEvents(events, about, writes, reported);
  }
  for (const upload of verdicts) if (wants(upload.accountId)) events.push(verdictEvent(entry, audit, upload));
  if (audit !== null && wants(audit.accountId)) events.push(auditEvent(entry, audit, reader));
  return events;
}

const OF_DOMAIN: ReadonlySet<number> = new Set(
  [
    domains,
    deletedDomains,
    records,
    proxies,
    automaticCertificates,
    furtherCertificates,
    acmeOrders,
    dnssec,
    dnssecStates,
  ].map(({ number }) => number),
);

function writesOf(byDomain: Map<Id, DomainWrites>, id: Id): DomainWrites {
  let writes = byDomain.get(id);
  if (writes === undefined) {
    writes = {
      isPut: false,
      isDeleted: false,
      leavesBin: false,
      hasRecords: false,
      hasDnssec: false,
      isOrdering: false,
      proxy: null,
      issued: null,
      further: null,
      hasOrder: false,
      dnssecState: null,
    };
    byDomain.set(id, writes);
  }
  return writes;
}

/** Replacing a row is a delete and a put. */
function noteDomain(writes: DomainWrites, table: number, key: Buffer, value: Buffer | null): void {
  if (table === records.number) writes.hasRecords = true;
  else if (table === dnssec.number) writes.hasDnssec = true;
  else if (table === domains.number) writes[value === null ? 'isDeleted' : 'isPut'] = true;
  else if (table === deletedDomains.number) writes.leavesBin = value === null;
  else if (value === null) return;
  else if (table === proxies.number) writes.proxy = proxies.decode(key, value);
  else if (table === automaticCertificates.number) writes.issued = automaticCertificates.decode(key, value);
  else if (table === furtherCertificates.number) writes.further = furtherCertificates.decode(key, value);
  else if (table === acmeOrders.number) {
    writes.hasOrder = true;
    writes.isOrdering = acmeOrders.decode(key, value).claim !== null;
  } else if (table === dnssecStates.number) writes.dnssecState = value;
}

/** A pending upload has no verdict; each claim of an audit rewrites its row. */
function noteUpload(upload: Upload, verdicts: Upload[]): void {
  if (upload.state !== 'pending' && upload.state !== 'scanning') verdicts.push(upload);
}

interface About {
  readonly entry: Entry;
  readonly audit: Audit | null;
  readonly accountId: Id;
  readonly domain: { readonly id: Id; readonly domain: string | null };
}

function addDomainEvents(events: NewEvent[], about: About, writes: DomainWrites, reported: ReportedStates): void {
  const { entry, domain } = about;
  const add = (type: EventType, kind: string, more: Readonly<Record<string, unknown>> = {}): void => {
    events.push({
      type,
      accountId: about.accountId,
      domainId: domain.id,
      sequence: entry.sequence,
      time: entry.time,
      data: { ...commonData(entry, about.audit, kind, domain.id), account_id: about.accountId, domain, ...more },
    });
  };
  if (writes.isDeleted && !writes.isPut) {
    add('domain.deleted', 'domain');
    return;
  }
  if (writes.isPut) add(typeOfPut(writes), 'domain');
  if (writes.hasRecords) add('records.changed', 'records');
  const { proxy } = writes;
  const issued = writes.issued ?? (writes.hasOrder ? writes.further : null);
  if (proxy !== null && entry.by !== ACME)
    add('proxy.changed', 'proxy', { enabled: proxy.enabled, origin_host: proxy.originHost });
  if (issued !== null)
    add('certificate.issued', 'certificate', { names: issued.names, expires_at: formatUtc(issued.notAfter) });
  else if (proxy !== null && entry.by === ACME && !writes.isOrdering && proxy.sslError !== null)
    add('certificate.failed', 'certificate', { ssl_status: proxy.sslStatus, error: proxy.sslError });
  if (writes.hasDnssec && isOfAccount(entry)) add('dnssec.changed', 'dnssec');
  if (writes.dnssecState !== null) addDnssecEvents(add, domain.id, writes.dnssecState, entry, reported);
}

/** A replaced row is a delete and a put. */
function typeOfPut({ isDeleted, leavesBin }: DomainWrites): EventType {
  if (isDeleted) return 'domain.changed';
  return leavesBin ? 'domain.restored' : 'domain.created';
}

/** Whether an account is the author: parts of the service have names, accounts have numbers. */
const isOfAccount = ({ by }: Entry): boolean => /^\d+$/.test(by);

/** For rows that are read without their key. */
const NO_KEY = Buffer.alloc(0);
/** Seconds between the start of a phase and the time of the entry that has it. */
const PHASE_TOLERANCE = 60;

function addDnssecEvents(
  add: (type: EventType, kind: string, more: Readonly<Record<string, unknown>>) => void,
  domainId: Id,
  value: Buffer,
  entry: Entry,
  reported: ReportedStates,
): void {
  const { phase, since, hasProblem } = dnssecStates.decode(NO_KEY, value);
  const before = reported.get(domainId);
  const current = `${phase} ${since} ${hasProblem}`;
  if (before === current) return;
  reported.set(domainId, current);
  const isNewPhase = Math.abs(entry.time / 1000 - since) <= PHASE_TOLERANCE;
  if (isNewPhase && before?.startsWith(`${phase} ${since} `) !== true)
    add('dnssec.phase', 'dnssec', { phase, since: formatUtc(since) });
  if (hasProblem && before?.endsWith(' true') !== true) add('dnssec.problem', 'dnssec', { phase });
}

function verdictEvent(entry: Entry, audit: Audit | null, upload: Upload): NewEvent {
  const { id, accountId, appId, version, state, summary } = upload;
  return {
    type: 'audit.verdict',
    accountId,
    domainId: null,
    sequence: entry.sequence,
    time: entry.time,
    data: {
      ...commonData(entry, audit, 'upload', id),
      account_id: accountId,
      domain: null,
      app_id: appId,
      version,
      state,
      summary,
      reason: upload.history.at(-1)?.reason ?? null,
    },
  };
}

function auditEvent(entry: Entry, audit: Audit, reader: Reader): NewEvent {
  const { accountId, action, domain, target, detail, requestId, remoteAddress } = audit;
  const domainId = domain === null ? undefined : reader.domainIdByApex(parseName(`${domain}.`));
  return {
    type: 'audit.entry',
    accountId,
    domainId: domainId ?? null,
    sequence: entry.sequence,
    time: entry.time,
    data: {
      ...commonData(entry, audit, 'audit', audit.id),
      account_id: accountId,
      domain: domain === null ? null : { id: domainId ?? null, domain },
      action,
      target,
      detail,
      request_id: requestId,
      remote_address: remoteAddress,
    },
  };
}

/** `seq`, `kind` and `id` are those of the server-sent events. */
function commonData({ sequence }: Entry, audit: Audit | null, kind: string, id: Id | string) {
  const actor = audit?.actor ?? null;
  return {
    seq: sequence,
    kind,
    id,
    action: audit?.action ?? null,
    actor:
      actor === null
        ? null
        : {
            id: actor.accountId,
            username: actor.username,
            token_id: actor.tokenId,
            token_name: actor.tokenName,
          },
  };
}
