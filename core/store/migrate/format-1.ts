/**
 * Converts rows of Waypost 0.1 (format 1). Ids were 16 hexadecimal digits; they become integers in
 * the same order. Data that lives only for minutes is omitted: responses for Idempotency-Keys,
 * purges, and ACME challenges.
 */
import type { Secrets } from '../../base/secrets.ts';
import { type Environment, FORMAT_KEY, isEmpty, openReadOnly } from '../environment.ts';
import { type Id, idKey, nameOfKey, recordKeyParts } from '../keys.ts';
import { audits } from '../rows/requests.ts';
import { json, stampOf, unjson } from '../rows/table.ts';
import {
  type Account,
  type AcmeAccount,
  type AcmeOrder,
  type App,
  type AutomaticCertificate,
  accounts,
  acmeAccounts,
  acmeOrders,
  aliasTargets,
  apps,
  automaticCertificateContext,
  automaticCertificates,
  type Certificate,
  certificateContext,
  certificates,
  type Domain,
  domains,
  idCounters,
  PRIMARY,
  type ProxyConfig,
  proxies,
  records,
  reports,
  STAMP,
  type Table,
  type TicketKeysRow,
  type Token,
  type TsigKeyRow,
  ticketKeys,
  tokens,
  tsigContext,
  tsigKeys,
  type Upload,
  uploads,
} from '../rows.ts';

/** An entry of the old store. */
interface OldEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export type Put = (table: Table<unknown>, key: Buffer, value: Buffer) => void;

/** The old store. All rows are read with one reader, in key order. */
interface Source {
  count(table: string): number;
  rows(table: string): Iterable<OldEntry>;
  meta(key: string): Buffer | undefined;
  close(): Promise<void>;
}

const TABLES = [
  'zones',
  'accounts',
  'tokens',
  'domains',
  'records',
  'proxies',
  'certificates',
  'audit',
  'tsig_keys',
  'alias_targets',
  'automatic_certificates',
  'ticket_keys',
  'acme_accounts',
  'acme_orders',
  'apps',
  'uploads',
  'reports',
] as const;

/** Null: the file is not a store of format 1. */
export async function openFormat1(path: string): Promise<Source | null> {
  const { root, table } = openReadOnly(path);
  const meta = table('meta');
  // Format 1 had no format key.
  if (meta === undefined || isEmpty(meta) || meta.get(FORMAT_KEY) !== undefined) {
    await root.close();
    return null;
  }
  const tables = new Map(TABLES.map((name) => [name as string, table(name)]));
  return {
    count: (name) => (tables.get(name)?.getStats() as { entryCount?: number } | undefined)?.entryCount ?? 0,
    *rows(name) {
      for (const { key, value } of tables.get(name)?.getRange({}) ?? []) yield { key: Buffer.from(key), value };
    },
    meta: (key) => meta.get(Buffer.from(key)),
    close: () => root.close(),
  };
}

/** New ids by old ids, for a kind of row that other rows refer to. */
class Ids {
  readonly #ids = new Map<string, Id>();
  #last = 0;

  get next(): Id {
    return this.#last + 1;
  }

  add(old: string): Id {
    this.#ids.set(old, ++this.#last);
    return this.#last;
  }

  /** Returns a new id for a row that no other row refers to. */
  take(): Id {
    return ++this.#last;
  }

  find(old: string): Id | undefined {
    return this.#ids.get(old);
  }
}

/** A row refers to a missing row. `what`: names both rows. */
class DanglingRow extends Error {
  constructor(what: string) {
    super(`The store is damaged: ${what}. Nothing was changed.`);
  }
}

/**
 * Converts all rows. `put` writes a row into the new store, within a transaction of the caller.
 * Throws DanglingRow, and WaypostError `unsealable` if the key file does not match.
 */
export class Format1 {
  readonly #secrets: Secrets;
  readonly #accounts = new Ids();
  readonly #domains = new Ids();
  readonly #tokens = new Ids();
  readonly #uploads = new Ids();
  readonly #tsig = new Ids();
  readonly #records = new Ids();

  /** `zones`: the table of the new store. */
  constructor(
    private readonly source: Source,
    secrets: Secrets,
    private readonly put: Put,
    private readonly zones: Environment['zones'],
  ) {
    this.#secrets = secrets;
  }

  /** Yields after each row. */
  *convert(): Iterable<void> {
    yield* this.#each<Account>('accounts', (row, old) =>
      this.#write(accounts, { ...row, id: this.#accounts.add(old) }),
    );
    yield* this.#convertDomains();
    yield* this.#each<Token>('tokens', (row, old) => {
      const accountId = this.#accountOf(row.accountId, `token ${old}`);
      this.#write(tokens, { ...row, id: this.#tokens.add(old), accountId, legacyId: old });
    });
    yield* this.#convertRecords();
    yield* this.#each<TsigKeyRow>('tsig_keys', (row, old) => {
      const id = this.#tsig.add(old);
      const sealed = this.#reseal(row.sealed, `tsig:${old}`, tsigContext(id));
      const accountId = this.#accountOf(row.accountId, `TSIG key ${row.name}`);
      const own =
        row.domains?.map((domain) => this.#domains.find(String(domain))).filter((domainId) => domainId !== undefined) ??
        null;
      this.#write(tsigKeys, { ...row, id, accountId, sealed, domains: own });
    });
    yield* this.#convertSites();
    yield* this.#convertPackages();
    yield* this.#convertAudits();
    yield* this.#each<Record<string, unknown>>('alias_targets', (row, _old, key) =>
      this.put(aliasTargets as Table<unknown>, key, json({ ...row, spread: null })),
    );
    yield* this.#each<TicketKeysRow>('ticket_keys', (row) => this.#write(ticketKeys, row));
    yield* this.#each<AcmeAccount>('acme_accounts', (row) => this.#write(acmeAccounts, row));
    for (const [table, ids] of [
      [accounts, this.#accounts],
      [domains, this.#domains],
      [tokens, this.#tokens],
      [records, this.#records],
      [tsigKeys, this.#tsig],
      [uploads, this.#uploads],
    ] as const)
      this.#write(idCounters, { table: table.number, next: ids.next, lease: 'migrated' });
  }

  #write<Row>(table: Table<Row>, row: Row): void {
    this.put(table as Table<unknown>, table.key(row), table.encode(row));
  }

  *#each<Row>(table: string, work: (row: Row, old: string, key: Buffer) => void): Iterable<void> {
    for (const { key, value } of this.source.rows(table)) {
      work(unjson<Row>(value), key.toString('hex'), key);
      yield;
    }
  }

  *#convertDomains(): Iterable<void> {
    yield* this.#each<Omit<Domain, 'apex'> & { apex: string }>('domains', (row, old) => {
      const accountId = this.#accountOf(row.accountId, `domain ${old}`);
      const apex = Uint8Array.from(Buffer.from(row.apex, 'hex'));
      this.#write(domains, { ...PRIMARY, ...row, id: this.#domains.add(old), accountId, apex });
    });
    // Serials continue from their old values.
    for (const { key, value } of this.source.rows('zones')) {
      const id = this.#domains.find(key.toString('hex'));
      if (id !== undefined) this.zones.put(idKey(id), value);
      yield;
    }
  }

  *#convertRecords(): Iterable<void> {
    for (const { key, value } of this.source.rows('records')) {
      const { nameEnd, type } = recordKeyParts(key);
      const domainId = this.#domains.find(key.toString('hex', 0, DOMAIN));
      if (domainId === undefined) throw new DanglingRow(`record ${key.toString('hex', key.length - 8)} has no domain`);
      const row = records.decode(key, value);
      const name = nameOfKey(key, DOMAIN, nameEnd);
      this.#write(records, { ...row, id: this.#records.take(), domainId, name, type });
      yield;
    }
  }

  *#convertSites(): Iterable<void> {
    yield* this.#each<ProxyConfig>('proxies', (row, old) =>
      this.#write(proxies, { ...row, domainId: this.#domainOf(old, 'proxy') }),
    );
    yield* this.#each<Certificate>('certificates', (row, old) => {
      const domainId = this.#domainOf(old, 'certificate');
      const sealedKey = this.#reseal(row.sealedKey, `certificate:${old}`, certificateContext(domainId));
      this.#write(certificates, { ...row, domainId, sealedKey });
    });
    yield* this.#each<AutomaticCertificate>('automatic_certificates', (row, old) => {
      const domainId = this.#domainOf(old, 'certificate');
      const context = automaticCertificateContext(domainId);
      const sealedKey = this.#reseal(row.sealedKey, `automatic-certificate:${old}`, context);
      this.#write(automaticCertificates, { ...row, domainId, sealedKey });
    });
    yield* this.#each<AcmeOrder>('acme_orders', (row, old) =>
      this.#write(acmeOrders, { ...row, domainId: this.#domainOf(old, 'order'), claim: null }),
    );
  }

  *#convertPackages(): Iterable<void> {
    // 0.1 deleted the packages of a deleted account later, in the background.
    yield* this.#each<Upload>('uploads', (row, old) => {
      const accountId = this.#accounts.find(String(row.accountId));
      if (accountId === undefined) return;
      this.#write(uploads, { ...row, id: this.#uploads.add(old), accountId, listing: null, claim: null });
    });
    yield* this.#each<Omit<App, 'current'> & { current: Record<string, string | null> }>('apps', (row) => {
      const accountId = this.#accounts.find(String(row.accountId));
      if (accountId === undefined) return;
      const current = Object.fromEntries(
        Object.entries(row.current).map(([state, old]) => [
          state,
          old === null ? null : (this.#uploads.find(old) ?? null),
        ]),
      ) as App['current'];
      this.#write(apps, { ...row, accountId, current });
    });
    for (const { key, value } of this.source.rows('reports')) {
      const uploadId = this.#uploads.find(key.toString('hex'));
      if (uploadId !== undefined) this.#write(reports, { uploadId, findings: value });
      yield;
    }
  }

  /**
   * Converts audit entries. Their ids become the sequence of their commit, which format 1 stored as
   * a stamp. Deleted accounts get ids too, since administrators can read their entries. Must run
   * after all rows whose account must exist.
   */
  *#convertAudits(): Iterable<void> {
    const idOf = (old: string): Id => this.#accounts.find(old) ?? this.#accounts.add(old);
    const taken = new Set<number>();
    for (const { value } of this.source.rows('audit')) {
      const row = unjson<OldAudit>(value, value.length - STAMP);
      const accountId = idOf(row.accountId);
      let sequence = stampOf(value);
      while (sequence > 1 && taken.has(sequence)) sequence--;
      taken.add(sequence);
      const actor = row.actor && {
        ...row.actor,
        accountId: idOf(row.actor.accountId),
        tokenId: row.actor.tokenId === null ? null : (this.#tokens.find(row.actor.tokenId) ?? null),
      };
      const target = row.target === null ? null : (this.#find(row.target) ?? row.target);
      const stamp = Buffer.from(value.subarray(value.length - STAMP));
      const entry = { ...row, id: sequence, accountId, actor, target, revision: 0 };
      this.put(audits as Table<unknown>, audits.key(entry), Buffer.concat([audits.encode(entry), stamp]));
      yield;
    }
  }

  #find(old: string): Id | undefined {
    for (const ids of [this.#domains, this.#tokens, this.#tsig, this.#accounts, this.#uploads]) {
      const id = ids.find(old);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #accountOf(old: unknown, what: string): Id {
    const id = this.#accounts.find(String(old));
    if (id === undefined) throw new DanglingRow(`${what} has no account`);
    return id;
  }

  #domainOf(old: string, what: string): Id {
    const id = this.#domains.find(old);
    if (id === undefined) throw new DanglingRow(`the ${what} of domain ${old} has no domain`);
    return id;
  }

  #reseal(sealed: string, from: string, to: string): string {
    const plain = this.#secrets.unseal(Buffer.from(sealed, 'base64'), from);
    try {
      return this.#secrets.seal(plain, to).toString('base64');
    } finally {
      plain.fill(0);
    }
  }
}

interface OldAudit {
  readonly accountId: string;
  readonly actor: {
    readonly accountId: string;
    readonly username: string;
    readonly tokenId: string | null;
    readonly tokenName: string | null;
  } | null;
  readonly action: string;
  readonly domain: string | null;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly at: number;
}

/** Bytes of the domain id in the key of a record. */
const DOMAIN = 8;
