/**
 * Reads of rows, either from the last committed state or through a draft. A draft also records what
 * was read.
 */
import type { Name } from '../dns/wire/name.ts';
import type { Environment } from './environment.ts';
import {
  afterPrefix,
  domainNameKey,
  type Id,
  idAt,
  idKey,
  LOOKUP,
  lookupKey,
  nameKey,
  recordsAt,
  recordsOfType,
  targetKeyParts,
  targetsAt,
} from './keys.ts';
import {
  type Account,
  type AcmeChallenge,
  type AcmeOrder,
  type Audit,
  type AutomaticCertificate,
  accounts,
  acmeChallenges,
  acmeOrders,
  audits,
  automaticCertificates,
  type Certificate,
  type Comment,
  catalogPrefixes,
  certificates,
  comments,
  credentialKey,
  type DelegationRow,
  type DnssecRow,
  type Domain,
  decodeDomain,
  delegations,
  dnssec,
  dnssecStates,
  domains,
  legacyTokenKey,
  loginKey,
  NO_LABELS,
  type OriginHealth,
  originHealth,
  originHealthKey,
  type Passkey,
  type ProxyConfig,
  type Purge,
  passkeys,
  proxies,
  purges,
  type RecordRow,
  type Replay,
  type RRsetComments,
  records,
  replayKey,
  replays,
  type Session,
  type SiteDocument,
  type SiteDocumentKind,
  type StoredDnssecState,
  sessions,
  siteDocumentKey,
  siteDocuments,
  siteDocumentVersions,
  type Table,
  type Token,
  type TokenUse,
  type Totp,
  type TsigKeyRow,
  tokens,
  tokenUses,
  totps,
  tsigKeys,
  tsigNameKey,
  WEBHOOK_QUEUE_KEY,
  type WebhookQueueRow,
  type WebhookRow,
  webhookQueues,
  webhooks,
  type ZoneLabels,
  zoneLabels,
} from './rows.ts';
import { scan } from './scan.ts';

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The basic reads. `table`: number of a table of rows, LOOKUPS or TARGETS. */
export interface RawReader {
  get(table: number, key: Uint8Array): Buffer | undefined;
  /** Entries with start ≤ key < end in key order, at most `limit`. */
  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[];
}

export const LOOKUPS = 0;
/** The table of targets, derived from the records. */
export const TARGETS = 255;

/** The derived row of a zone. */
export interface ZoneState {
  /** SOA serial (RFC 1982). */
  readonly serial: number;
  /** Journal sequence of the last change. */
  readonly revision: number;
  readonly recordCount: number;
  /** Seconds since 1970. */
  readonly updatedAt: number;
  /** Size of its rows: see row-owner.ts. */
  readonly bytes: number;
}

export const EMPTY_ZONE: ZoneState = { serial: 0, revision: 0, recordCount: 0, updatedAt: 0, bytes: 0 };

const ZONE_STATE_BYTES = 25;

/** Rows of earlier versions lack the byte count. The daemon adds it when it starts. */
const hasZoneBytes = (value: Buffer): boolean => value.length === ZONE_STATE_BYTES;

export function decodeZoneState(value: Buffer | undefined): ZoneState {
  if (value === undefined) return EMPTY_ZONE;
  return {
    serial: value.readUInt32BE(0),
    revision: value.readUIntBE(4, 6),
    recordCount: value.readUInt32BE(10),
    updatedAt: value.readUIntBE(14, 5),
    bytes: hasZoneBytes(value) ? value.readUIntBE(19, 6) : 0,
  };
}

export function encodeZoneState(state: ZoneState, bytes = state.bytes): Buffer {
  const value = Buffer.allocUnsafe(ZONE_STATE_BYTES);
  value.writeUInt32BE(state.serial, 0);
  value.writeUIntBE(state.revision, 4, 6);
  value.writeUInt32BE(state.recordCount, 10);
  value.writeUIntBE(state.updatedAt, 14, 5);
  value.writeUIntBE(bytes, 19, 6);
  return value;
}

/** The stored totals of an account. */
export interface Usage {
  readonly domains: number;
  readonly records: number;
  /** Size of its rows: see row-owner.ts. */
  readonly bytes: number;
  /** Bytes of its audit entries. */
  readonly audit: number;
}

const USAGE_BYTES = 24;

export const NO_USAGE: Usage = { domains: 0, records: 0, bytes: 0, audit: 0 };

export function decodeUsage(value: Buffer | undefined): Usage {
  if (value === undefined) return NO_USAGE;
  // Rows of earlier versions lack the byte count. The daemon adds it when it starts.
  const hasBytes = value.length === USAGE_BYTES;
  return {
    domains: value.readUIntBE(0, 6),
    records: value.readUIntBE(6, 6),
    bytes: hasBytes ? value.readUIntBE(12, 6) : 0,
    audit: hasBytes ? value.readUIntBE(18, 6) : 0,
  };
}

export function encodeUsage({ domains: domainCount, records: recordCount, bytes, audit }: Usage): Buffer {
  const value = Buffer.allocUnsafe(USAGE_BYTES);
  value.writeUIntBE(domainCount, 0, 6);
  value.writeUIntBE(recordCount, 6, 6);
  value.writeUIntBE(bytes, 12, 6);
  value.writeUIntBE(audit, 18, 6);
  return value;
}

export class Reader {
  protected readonly raw: RawReader;

  constructor(raw: RawReader) {
    this.raw = raw;
  }

  row<Row>(table: Table<Row>, key: Uint8Array): Row | undefined {
    const value = this.raw.get(table.number, key);
    return value === undefined ? undefined : table.decode(key, value);
  }

  #rows<Row>(table: Table<Row>, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Row[] {
    return this.raw.range(table.number, start, end, limit).map((entry) => table.decode(entry.key, entry.value));
  }

  /** Returns the row that a lookup refers to. */
  rowAt<Row>(table: Table<Row>, lookup: Uint8Array): Row | undefined {
    const key = this.raw.get(LOOKUPS, lookup);
    return key && this.row(table, key);
  }

  /**
   * Returns the rows of all lookups with a prefix, in the order of the lookups. `after`: skips
   * lookups up to the prefix followed by it; null: none.
   */
  rowsAt<Row>(table: Table<Row>, prefix: Buffer, after: Uint8Array | null, limit?: number): Row[] {
    const start = startAfter(prefix, after);
    return this.raw
      .range(LOOKUPS, start, afterPrefix(prefix), limit)
      .flatMap((entry) => this.row(table, entry.value) ?? []);
  }

  account(id: Id): Account | undefined {
    return this.row(accounts, idKey(id));
  }

  hasAccount(id: Id): boolean {
    return this.raw.get(accounts.number, idKey(id)) !== undefined;
  }

  /** By username or e-mail address, case-insensitive. */
  accountByLogin(login: string): Account | undefined {
    return this.rowAt(accounts, loginKey(login));
  }

  accounts(after: Id | null, limit: number): Account[] {
    return this.#rows(accounts, startAfter(Buffer.alloc(0), after === null ? null : idKey(after)), undefined, limit);
  }

  token(id: Id): Token | undefined {
    return this.row(tokens, idKey(id));
  }

  hasToken(id: Id): boolean {
    return this.raw.get(tokens.number, idKey(id)) !== undefined;
  }

  /** By the id in the text of a token of Waypost 0.1. */
  tokenByLegacyId(legacyId: string): Token | undefined {
    return this.rowAt(tokens, legacyTokenKey(legacyId));
  }

  tokensOf(accountId: Id): Token[] {
    return this.rowsAt(tokens, lookupKey(LOOKUP.accountToken, idKey(accountId)), null);
  }

  tokenUse(tokenId: Id): TokenUse | undefined {
    return this.row(tokenUses, idKey(tokenId));
  }

  session(id: Id): Session | undefined {
    return this.row(sessions, idKey(id));
  }

  hasSession(id: Id): boolean {
    return this.raw.get(sessions.number, idKey(id)) !== undefined;
  }

  sessionsOf(accountId: Id): Session[] {
    return this.rowsAt(sessions, lookupKey(LOOKUP.accountSession, idKey(accountId)), null);
  }

  /** The one-time codes of an account. */
  totp(accountId: Id): Totp | undefined {
    return this.row(totps, idKey(accountId));
  }

  passkey(id: Id): Passkey | undefined {
    return this.row(passkeys, idKey(id));
  }

  passkeysOf(accountId: Id): Passkey[] {
    return this.rowsAt(passkeys, lookupKey(LOOKUP.accountPasskey, idKey(accountId)), null);
  }

  /** By the id that the authenticator assigned. */
  passkeyByCredential(credentialId: string): Passkey | undefined {
    return this.rowAt(passkeys, credentialKey(credentialId));
  }

  tsigKey(id: Id): TsigKeyRow | undefined {
    return this.row(tsigKeys, idKey(id));
  }

  /** By its name in wire form and lower case. */
  tsigKeyByName(name: Name): TsigKeyRow | undefined {
    return this.rowAt(tsigKeys, tsigNameKey(name));
  }

  tsigKeysOf(accountId: Id): TsigKeyRow[] {
    return this.rowsAt(tsigKeys, lookupKey(LOOKUP.accountTsigKey, idKey(accountId)), null);
  }

  webhook(id: Id): WebhookRow | undefined {
    return this.row(webhooks, idKey(id));
  }

  webhooksOf(accountId: Id): WebhookRow[] {
    return this.rowsAt(webhooks, lookupKey(LOOKUP.accountWebhook, idKey(accountId)), null);
  }

  webhookQueue(): WebhookQueueRow | undefined {
    return this.row(webhookQueues, WEBHOOK_QUEUE_KEY);
  }

  domain(id: Id): Domain | undefined {
    return this.row(domains, idKey(id));
  }

  domainIdByApex(apex: Name): Id | undefined {
    const key = this.raw.get(LOOKUPS, domainNameKey(apex));
    return key && idAt(key);
  }

  domainByApex(apex: Name): Domain | undefined {
    return this.rowAt(domains, domainNameKey(apex));
  }

  /** Domains strictly below a name, in canonical order. */
  domainsBelow(name: Name, limit?: number): Domain[] {
    const prefix = domainNameKey(name);
    const first = Buffer.concat([prefix, Uint8Array.of(0x00)]);
    return this.raw
      .range(LOOKUPS, first, afterPrefix(prefix), limit)
      .flatMap((entry) => this.row(domains, entry.value) ?? []);
  }

  /** An account's domains in canonical order of their names, after the domain `after`. */
  domainsOf(accountId: Id, after: Name | null, limit?: number): Domain[] {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    return this.rowsAt(domains, prefix, after === null ? null : nameKey(after), limit);
  }

  /** All domains of all accounts in canonical order. */
  allDomains(after: Name | null, limit?: number): Domain[] {
    return this.rowsAt(domains, lookupKey(LOOKUP.domainName), after === null ? null : nameKey(after), limit);
  }

  /**
   * The catalogs that may list a domain of the account: catalogs of the account, and catalogs of
   * all accounts.
   */
  catalogsFor(accountId: Id): Domain[] {
    return catalogPrefixes(accountId).flatMap((prefix) => this.rowsAt(domains, prefix, null));
  }

  /** The secondary zones that are catalogs. */
  consumedCatalogs(): Domain[] {
    return this.rowsAt(domains, lookupKey(LOOKUP.consumer), null);
  }

  /** The domains that belong to a catalog, in canonical order, after the apex `after`. */
  listedBy(catalogId: Id, after: Name | null, limit: number): Domain[] {
    const prefix = lookupKey(LOOKUP.listed, idKey(catalogId));
    return this.raw
      .range(LOOKUPS, startAfter(prefix, after && nameKey(after)), afterPrefix(prefix), limit)
      .flatMap((entry) => {
        const value = this.raw.get(domains.number, entry.value);
        return value === undefined ? [] : decodeDomain(value);
      });
  }

  /** How many domains an account has, counted up to `limit`. */
  countDomains(accountId: Id, limit?: number): number {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    return this.raw.range(LOOKUPS, prefix, afterPrefix(prefix), limit).length;
  }

  proxy(domainId: Id): ProxyConfig | undefined {
    return this.row(proxies, idKey(domainId));
  }

  siteDocument(domainId: Id, kind: SiteDocumentKind): SiteDocument | undefined {
    return this.row(siteDocuments, siteDocumentKey(domainId, kind));
  }

  /** Earlier revisions, oldest first. */
  siteDocumentVersions(domainId: Id, kind: SiteDocumentKind): SiteDocument[] {
    const prefix = siteDocumentKey(domainId, kind);
    return this.#rows(siteDocumentVersions, prefix, afterPrefix(prefix));
  }

  /** Documents of all kinds. */
  siteDocumentsOf(domainId: Id): SiteDocument[] {
    const prefix = idKey(domainId);
    return this.#rows(siteDocuments, prefix, afterPrefix(prefix));
  }

  /** In all regions. */
  originHealthOf(domainId: Id): OriginHealth[] {
    const prefix = idKey(domainId);
    return this.#rows(originHealth, prefix, afterPrefix(prefix));
  }

  originHealth(domainId: Id, region: string): OriginHealth | undefined {
    return this.row(originHealth, originHealthKey(domainId, region));
  }

  certificate(domainId: Id): Certificate | undefined {
    return this.row(certificates, idKey(domainId));
  }

  automaticCertificate(domainId: Id): AutomaticCertificate | undefined {
    return this.row(automaticCertificates, idKey(domainId));
  }

  acmeOrder(domainId: Id): AcmeOrder | undefined {
    return this.row(acmeOrders, idKey(domainId));
  }

  /** Undefined: the zone is not signed. */
  dnssec(domainId: Id): DnssecRow | undefined {
    return this.row(dnssec, idKey(domainId));
  }

  /** The delegation of a domain in its parent zone; undefined: never checked. */
  delegation(domainId: Id): DelegationRow | undefined {
    return this.row(delegations, idKey(domainId));
  }

  dnssecState(domainId: Id): StoredDnssecState | undefined {
    return this.row(dnssecStates, idKey(domainId));
  }

  acmeChallenges(domainId: Id): AcmeChallenge[] {
    const prefix = idKey(domainId);
    return this.#rows(acmeChallenges, prefix, afterPrefix(prefix));
  }

  /** Purges of a domain, oldest first. */
  purgesOf(domainId: Id, limit?: number): Purge[] {
    const prefix = idKey(domainId);
    return this.#rows(purges, prefix, afterPrefix(prefix), limit);
  }

  /** The stored response by the hash of account and Idempotency-Key. */
  replay(id: string): Replay | undefined {
    return this.row(replays, replayKey(id));
  }

  record(id: Id): RecordRow | undefined {
    return this.rowAt(records, lookupKey(LOOKUP.record, idKey(id)));
  }

  recordsAt(domainId: Id, name: Name): RecordRow[] {
    const prefix = recordsAt(domainId, name);
    return this.#rows(records, prefix, afterPrefix(prefix));
  }

  /** Whether a name has a record of a type. */
  hasType(domainId: Id, name: Name, type: number): boolean {
    const prefix = recordsOfType(domainId, name, type);
    return this.raw.range(records.number, prefix, afterPrefix(prefix), 1).length > 0;
  }

  recordsOfType(domainId: Id, name: Name, type: number): RecordRow[] {
    const prefix = recordsOfType(domainId, name, type);
    return this.#rows(records, prefix, afterPrefix(prefix));
  }

  /** The comments of an RRset. */
  comments(domainId: Id, name: Name, type: number): readonly Comment[] {
    return this.row(comments, recordsOfType(domainId, name, type))?.comments ?? [];
  }

  zoneLabels(domainId: Id): ZoneLabels {
    return this.row(zoneLabels, idKey(domainId)) ?? { domainId, ...NO_LABELS };
  }

  /** Owners and types of the records with this target, in the last committed state. */
  targetsAt(domainId: Id, target: Name): { owner: Name; type: number }[] {
    const prefix = targetsAt(domainId, target);
    return this.raw.range(TARGETS, prefix, afterPrefix(prefix)).map((entry) => targetKeyParts(entry.key));
  }

  /** A zone's records in canonical order, after the record whose key is `after`. */
  recordsOf(domainId: Id, after: Uint8Array | null, limit?: number): RecordRow[] {
    const prefix = idKey(domainId);
    return this.#rows(
      records,
      after === null ? prefix : startAfter(Buffer.alloc(0), after),
      afterPrefix(prefix),
      limit,
    );
  }
}

const NOTHING = Buffer.alloc(0);

function startAfter(prefix: Buffer, after: Uint8Array | null): Buffer {
  return after === null ? prefix : Buffer.concat([prefix, after, Uint8Array.of(0)]);
}

/** Reads of the last committed state, on the calling thread's snapshot. */
export class StoreReader extends Reader {
  readonly environment: Environment;

  constructor(environment: Environment) {
    super(rawReader(environment));
    this.environment = environment;
  }

  zoneState(domainId: Id): ZoneState {
    return decodeZoneState(this.environment.zones.get(idKey(domainId)));
  }

  /**
   * Name keys of the apexes of an account's domains, as Latin-1 in canonical order, after the key
   * `after`. Reads only lookups.
   */
  apexKeysOf(accountId: Id, after: string | null, limit: number): { readonly key: string; readonly id: Id }[] {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    const start = startAfter(prefix, after === null ? null : Buffer.from(after, 'latin1'));
    return this.raw
      .range(LOOKUPS, start, afterPrefix(prefix), limit)
      .map(({ key, value }) => ({ key: key.toString('latin1', prefix.length), id: idAt(value) }));
  }

  /** Whether any domain has labels. */
  haveZoneLabels(): boolean {
    return this.raw.range(zoneLabels.number, idKey(0), undefined, 1).length > 0;
  }

  /** The RRsets of a domain that have comments. */
  commentsOf(domainId: Id): RRsetComments[] {
    const start = idKey(domainId);
    return this.raw
      .range(comments.number, start, afterPrefix(start))
      .map(({ key, value }) => comments.decode(key, value));
  }

  /** Whether an RRset of the domain has comments. */
  hasComments(domainId: Id): boolean {
    const start = idKey(domainId);
    return this.raw.range(comments.number, start, afterPrefix(start), 1).length > 0;
  }

  /** Records whose keys start with `prefix`, encoded, after the record whose key is `after`. */
  recordEntries(prefix: Uint8Array, after: Uint8Array | null, limit: number): Entry[] {
    // `after` may be any key. The range must not start before the prefix.
    const next = after === null ? prefix : startAfter(NOTHING, after);
    const start = Buffer.compare(next, prefix) < 0 ? prefix : next;
    return this.raw.range(records.number, start, afterPrefix(prefix), limit);
  }

  /** Like `recordEntries`, in descending order, before the record whose key is `before`. */
  recordEntriesBefore(prefix: Uint8Array, before: Uint8Array | null, limit: number): Entry[] {
    const end = afterPrefix(prefix);
    const isInside = before !== null && (end === undefined || Buffer.compare(before, end) < 0);
    const start = isInside ? before : end;
    const entries: Entry[] = [];
    const table = this.environment.rows.get(records.number)!;
    for (const { key, value } of table.getRange({ start, end: prefix, reverse: true, limit: limit + 1 }))
      if (entries.length < limit && Buffer.compare(key as Buffer, start ?? NOTHING) !== 0)
        entries.push({ key: key as Buffer, value });
    return entries;
  }

  countAccounts(): number {
    const { entryCount } = this.environment.rows.get(accounts.number)!.getStats() as { entryCount: number };
    return entryCount;
  }

  /** Accounts with ids below `before`, in descending order. */
  accountsBefore(before: Id | null, limit: number): Account[] {
    const table = this.environment.rows.get(accounts.number)!;
    const start = before === null ? undefined : idKey(before);
    const found: Account[] = [];
    for (const { key, value } of table.getRange({ start, reverse: true, limit: limit + 1 }))
      if (found.length < limit && !(start?.equals(key as Buffer) ?? false))
        found.push(accounts.decode(key as Buffer, value));
    return found;
  }

  /** Usernames and e-mail addresses with their accounts, sorted by bytes. */
  logins(
    after: Uint8Array | null,
    limit: number,
    descending: boolean,
  ): { readonly login: Buffer; readonly account: Account | undefined }[] {
    const prefix = lookupKey(LOOKUP.login);
    const last = afterPrefix(prefix);
    const at = after === null ? null : Buffer.concat([prefix, after]);
    const found: { login: Buffer; account: Account | undefined }[] = [];
    const range = descending
      ? { start: at ?? last, end: prefix, reverse: true }
      : { start: at ?? prefix, end: last, reverse: false };
    for (const { key, value } of this.environment.lookups.getRange({ ...range, limit: limit + 1 }))
      if (found.length < limit && !(at?.equals(key as Buffer) ?? false))
        found.push({ login: (key as Buffer).subarray(prefix.length), account: this.row(accounts, value) });
    return found;
  }

  usage(accountId: Id): Usage {
    return decodeUsage(this.environment.usage.get(idKey(accountId)));
  }

  oldestAudits(accountId: Id, limit: number): Audit[] {
    const start = idKey(accountId);
    return this.raw
      .range(audits.number, start, afterPrefix(start), limit)
      .map(({ key, value }) => audits.decode(key, value));
  }

  /** Whether the stored totals include bytes. False: an earlier version wrote the store. */
  hasCounts(): boolean {
    for (const { value } of this.environment.zones.getRange({ limit: 1 })) return hasZoneBytes(value);
    return true;
  }

  /**
   * Audit entries of an account (null: of all accounts), newest first, older than the entry
   * `before`.
   */
  audits(accountId: Id | null, before: Id | null, limit: number): Audit[] {
    const { lookups } = this.environment;
    const prefix = accountId === null ? lookupKey(LOOKUP.audit) : idKey(accountId);
    const start = before === null ? afterPrefix(prefix)! : Buffer.concat([prefix, idKey(before)]);
    const found: Audit[] = [];
    const table = accountId === null ? lookups : this.environment.rows.get(audits.number)!;
    for (const { key, value } of table.getRange({ start, end: prefix, reverse: true, limit: limit + 1 })) {
      if (before !== null && (key as Buffer).equals(start)) continue;
      const row = accountId === null ? this.row(audits, value) : audits.decode(key as Buffer, value);
      if (row !== undefined && found.length < limit) found.push(row);
    }
    return found;
  }
}

/** One reader for each environment, since every write creates a draft. */
const rawReaders = new WeakMap<Environment, RawReader>();

export function rawReader(environment: Environment): RawReader {
  let reader = rawReaders.get(environment);
  if (reader === undefined) {
    reader = newRawReader(environment);
    rawReaders.set(environment, reader);
  }
  return reader;
}

function newRawReader(environment: Environment): RawReader {
  const table = (number: number) => {
    if (number === LOOKUPS) return environment.lookups;
    return number === TARGETS ? environment.targets : environment.rows.get(number)!;
  };
  return {
    get: (number, key) => table(number).get(key),
    range(number, start, end, limit) {
      const entries: Entry[] = [];
      if (limit !== 0) scan(table(number), start, end, (key, value) => entries.push({ key, value }) !== limit);
      return entries;
    },
  };
}
