/**
 * Generated entries that write rows of every table that applying derives something from. Few
 * domains, nested in each other, and few names, so that the entries collide often.
 */
import { createHash } from 'node:crypto';
import { formatHost, formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { ChangeWriter } from '../../../../core/journal/entry-codec.ts';
import { nextPiece, startResigning, startSigning, startUnsigning } from '../../../../core/journal/signing/progress.ts';
import type { Environment } from '../../../../core/store/environment.ts';
import {
  type AcmeChallenge,
  type AliasTarget,
  accounts,
  acmeChallenges,
  aliasTargets,
  apps,
  audits,
  certificates,
  comments,
  type DeletedDomain,
  type DnssecKey,
  type DnssecRow,
  type Domain,
  deletedDomains,
  dnssec,
  domains,
  proxies,
  purges,
  type RecordRow,
  records,
  renumberings,
  STEERED_TYPES,
  secondaries,
  signingKeys,
  siteDocuments,
  steerings,
  type Table,
  ticketKeys,
  tokens,
  zoneLabels,
} from '../../../../core/store/rows.ts';
import fc from '../../../support/fc.ts';
import { DEFAULTS, newAccount, newDomain, newProxy } from '../fixture.ts';
import { replaceAlgorithm } from '../signing/rig.ts';

export const SETTINGS = { ...DEFAULTS, nameservers: ['ns1.z.test', 'a.n.z.test'] };
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: 240 };
const APEXES = [
  ...['z.test.', 'z.test.', 'z.test.', 'z.test.', 'n.z.test.', 'n.z.test.', 'd.n.z.test.', 'x.a.z.test.'],
  ...['c.test.', 'all.test.', 's.test.'],
];
const OWNERS = ['@', '@', '*', 'a', 'b', 'ns1', 'x.a', '*.a', 'u.y.a', 'n', 'a.n', 'd.n', '_acme-challenge'];
const ALIAS_TARGETS = ['t.example.', 'u.example.', 'a.z.test.', 'origin.example.net.'];
const ORIGINS = [null, '192.0.2.7', 'origin.example.net', '2001:db8::7'];
const ACCOUNTS = 3;

/** `a`, `b` and `c` select from what there is; their meaning depends on the kind. */
interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const KINDS = [
  ...(['put domain', 'put domain', 'move domain', 'delete domain'] as const),
  ...(['bin domain', 'bin domain', 'restore domain', 'restore domain', 'restore domain', 'purge domain'] as const),
  ...([
    'put record',
    'put record',
    'put record',
    'put record',
    'delete record',
    'delete record',
    'edit record',
    'put apex',
    'put apex',
    'delete apex',
  ] as const),
  ...(['proxy', 'origin', 'origin', 'origin', 'delete proxy'] as const),
  ...(['sign', 'sign', 'sign', 'sign', 'sign', 'sign', 'sign', 'sign'] as const),
  ...([
    'steer',
    'steer',
    'challenge',
    'comment',
    'alias target',
    'alias target',
    'renumber',
    'account row',
    'domain row',
  ] as const),
];

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: fc.nat(0xffff),
  b: fc.nat(0xffff),
  c: fc.nat(0xffff),
});

/** Groups of entries of steps. */
export const groupsOfSteps = (max: number): fc.Arbitrary<Step[][][]> =>
  fc.array(
    fc.array(fc.array(step, { minLength: 1, maxLength: 4, size: 'max' }), { minLength: 1, maxLength: 3, size: 'max' }),
    { minLength: max, maxLength: max },
  );

/** The entry that adds all domains. */
export const ALL_DOMAINS: readonly Step[] = APEXES.map((_, a) => ({ kind: 'put domain', a, b: a, c: 0 }));

type Row = readonly [table: Table<never>, row: never];

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length];
const words = (...numbers: number[]): number[] => numbers.flatMap((n) => [n >> 8, n & 255]);

type NewKey = (domainId: number, id: number, algorithm: 13 | 15) => DnssecKey;

/** The rows after the entries so far. */
export class Model {
  /** By table and key. */
  #rows = new Map<string, Row>();
  readonly #newKey: NewKey;
  readonly #environment: Environment;
  /** Signing rows that the current group has written: a piece depends on the table of answers. */
  readonly #signed = new Set<number>();

  constructor(environment: Environment, newKey: NewKey) {
    this.#environment = environment;
    this.#newKey = newKey;
  }

  beginGroup(): void {
    this.#signed.clear();
  }

  /** Takes the steps, and returns the changes of their entry: deletes first, as a draft does. */
  entry(steps: readonly Step[]): Buffer {
    const before = new Map(this.#rows);
    for (const each of steps) this.#take(each);
    const out = new ChangeWriter();
    const isDomain = ([, [table]]: [string, Row]): boolean => table.number === domains.number;
    const gone = [...before].filter(([key, row]) => this.#rows.get(key) !== row);
    const come = [...this.#rows].filter(([key, row]) => before.get(key) !== row);
    // The row of a domain is deleted last, and put first.
    for (const [, [table, row]] of [...gone.filter((r) => !isDomain(r)), ...gone.filter(isDomain)])
      out.delete(table.number, table.key(row));
    for (const [, [table, row]] of [...come.filter(isDomain), ...come.filter((r) => !isDomain(r))])
      out.put(table.number, table.key(row), table.encode(row));
    this.#deleteOrphans();
    return out.content;
  }

  get domains(): Domain[] {
    return this.#all(domains);
  }

  #all<T>(table: Table<T>): T[] {
    return [...this.#rows.values()].filter(([of]) => of.number === table.number).map(([, row]) => row as T);
  }

  #put<T>(table: Table<T>, row: T): void {
    this.#rows.set(`${table.number} ${table.key(row).toString('hex')}`, [table, row] as unknown as Row);
  }

  #delete<T>(table: Table<T>, row: T): void {
    this.#rows.delete(`${table.number} ${table.key(row).toString('hex')}`);
  }

  #take({ kind, a, b, c }: Step): void {
    const apex = pick(APEXES, a);
    const domain = this.domains.find((row) => Buffer.from(row.apex).equals(Buffer.from(parseName(apex))));
    const deleted = this.#all(deletedDomains).filter((row) =>
      Buffer.from(row.domain.apex).equals(Buffer.from(parseName(apex))),
    );
    if (kind === 'restore domain' || kind === 'purge domain') {
      if (deleted.length === 0) return;
      if (kind === 'purge domain') this.#purge(pick(deleted, b), c);
      else if (domain === undefined) this.#restore(pick(deleted, b), c);
      return;
    }
    if (domain === undefined) {
      this.#put(domains, domainOf(apex, b));
      return;
    }
    const proxy = this.#all(proxies).find(({ domainId }) => domainId === domain.id) ?? newProxy(domain, false);
    // Catalogs have no records of their own, and no proxy.
    const isCatalog = domain.kind === 'catalog';
    const ours = this.#all(records).filter(({ domainId }) => domainId === domain.id);
    switch (kind) {
      case 'put domain':
        this.#put(domains, { ...domain, kept: domain.kept === null ? KEPT : null });
        break;
      case 'move domain':
        this.#put(domains, { ...domain, accountId: c % ACCOUNTS });
        break;
      case 'delete domain':
        for (const [key, [table, row]] of this.#rows)
          if (table.number === domains.number ? row === domain : (row as { domainId?: number }).domainId === domain.id)
            this.#rows.delete(key);
        break;
      case 'bin domain':
        this.#bin(domain);
        break;
      case 'put record':
        if (!isCatalog) this.#putRecord(recordOf(domain, b, c));
        break;
      case 'put apex': {
        // Its nameservers, their addresses, and addresses that replace that of the origin.
        const name = pick(['@', '@', 'a', 'a.n'], b);
        const [type, rdata] = pick(
          [
            [TYPE.NS, parseName(pick(['a', 'a.n'], c >> 4), domain.apex)] as const,
            [TYPE.A, Uint8Array.of(192, 0, 2, b & 3)] as const,
          ],
          name === '@' ? c : 1,
        );
        if (!isCatalog) this.#putRecord({ ...recordOf(domain, b, c), name: parseName(name, domain.apex), type, rdata });
        break;
      }
      case 'delete apex':
        for (const row of ours) if (row.name.length === domain.apex.length) this.#delete(records, row);
        break;
      case 'edit record':
        for (const row of ours.slice(b % 4, (b % 4) + 1 + (c % 3))) this.#put(records, { ...row, ttl: row.ttl + 1 });
        break;
      case 'delete record':
        for (const row of ours.slice(b % 4, (b % 4) + 1 + (c % 3))) this.#delete(records, row);
        break;
      case 'proxy':
        if (!isCatalog) this.#put(proxies, { ...proxy, enabled: !proxy.enabled });
        break;
      case 'origin':
        if (!isCatalog) this.#put(proxies, { ...proxy, originHost: pick(ORIGINS, b) });
        break;
      case 'delete proxy':
        this.#delete(proxies, proxy);
        break;
      case 'sign':
        this.#sign(domain, b, c);
        break;
      case 'challenge': {
        const row = challengeOf(domain, b);
        const has = this.#all(acmeChallenges).some((old) => old.token === row.token && old.domainId === domain.id);
        if (has) this.#delete(acmeChallenges, row);
        else this.#put(acmeChallenges, row);
        break;
      }
      case 'comment': {
        const of = pick(ours, b);
        if (of === undefined) break;
        const row = { domainId: domain.id, name: of.name, type: of.type };
        this.#put(comments, { ...row, comments: [{ content: `${c}`, account: 'a', modifiedAt: 1 }] });
        break;
      }
      case 'steer': {
        const of = ours.filter(({ type }) => STEERED_TYPES.has(type));
        if (of.length > 0) this.#steer(domain, pick(of, b), c);
        break;
      }
      case 'alias target':
        this.#put(aliasTargets, aliasTargetOf(b, c));
        break;
      case 'renumber':
        this.#put(renumberings, { domainIds: this.domains.filter((_, i) => ((b >> i) & 1) === 1).map(({ id }) => id) });
        break;
      case 'account row':
        this.#putAccountRow(b, c);
        break;
      case 'domain row':
        this.#putDomainRow(domain, b, c);
        break;
      default:
        kind satisfies never;
    }
  }

  /** Like core/upkeep/domains/bin.ts. */
  #bin(domain: Domain): void {
    const { id } = domain;
    const of = <T extends { readonly domainId: number }>(table: Table<T>): T[] =>
      this.#all(table).filter(({ domainId }) => domainId === id);
    const [signing] = of(dnssec);
    for (const table of [dnssec, acmeChallenges, purges, secondaries] as unknown as Table<{ domainId: number }>[])
      for (const row of of(table)) this.#delete(table, row);
    const state = {} as NonNullable<DeletedDomain['signing']>['state'];
    const kept = signing === undefined ? null : { row: signing, state };
    const row = { domain, deletedAt: 1, deletedBy: null, purgeAt: 2, isGone: false, signing: kept, secondary: null };
    this.#put(deletedDomains, row);
    this.#delete(domains, domain);
    this.#signed.add(id);
  }

  #restore(row: DeletedDomain, c: number): void {
    const { domain, signing, isGone } = row;
    if (isGone) return;
    this.#delete(deletedDomains, row);
    this.#put(domains, domain);
    if (signing === null) return;
    const { progress: _progress, ...signed } = signing.row;
    this.#put(dnssec, { ...signed, clock: signed.clock + (c % 40) * 86_400 });
  }

  /** Deletes some rows of a domain in the bin, at last its own. */
  #purge(row: DeletedDomain, c: number): void {
    const { id } = row.domain;
    const isOfDomain = ([, [table, of]]: [string, Row]): boolean =>
      table.number !== deletedDomains.number && (of as { domainId?: number }).domainId === id;
    const rest = [...this.#rows].filter(isOfDomain);
    for (const [key] of rest.slice(0, 1 + (c % 20))) this.#rows.delete(key);
    if (rest.length === 0) this.#delete(deletedDomains, row);
    else this.#put(deletedDomains, { ...row, isGone: true });
  }

  /** Steers a record set, changes that, or ends it. */
  #steer({ id: domainId }: Domain, { name, type }: RecordRow, c: number): void {
    const contents: Readonly<Record<number, readonly string[]>> = {
      [TYPE.A]: ['192.0.2.1', '192.0.2.2'],
      [TYPE.AAAA]: ['2001:db8::1', '2001:db8::2'],
    };
    const answers = (contents[type] ?? ALIAS_TARGETS.slice(0, 2)).map((text) => ({
      content: text,
      weight: 1 + (c % 3),
    }));
    const rules = [{ match: { country: [], continent: ['EU'], network: ['10.0.0.0/8'], region: [] }, pool: 'p' }];
    const content = { ttl: 60, pools: [{ name: 'p', answers, health: null }], rules, fallback: ['p'] };
    const actor = { accountId: 1, username: 'u', tokenName: null };
    const row = { domainId, name, type, revision: 1, updatedAt: 1, actor, content };
    if (c % 4 === 0) this.#delete(steerings, row);
    else this.#put(steerings, row);
  }

  /** Addresses next to an ALIAS are refused. */
  #putRecord(row: RecordRow): void {
    const isAddress = (type: number): boolean => type === TYPE.A || type === TYPE.AAAA;
    const isRefused = ({ domainId, name, type }: RecordRow): boolean =>
      (row.type === TYPE.ALIAS ? isAddress(type) : isAddress(row.type) && type === TYPE.ALIAS) &&
      domainId === row.domainId &&
      formatName(name) === formatName(row.name);
    if (!this.#all(records).some(isRefused)) this.#put(records, row);
  }

  /** Applying deletes the comments of an RRset with its last record. */
  #deleteOrphans(): void {
    const sets = new Set(this.#all(records).map(({ domainId, name, type }) => `${domainId} ${name} ${type}`));
    for (const row of this.#all(comments))
      if (!sets.has(`${row.domainId} ${row.name} ${row.type}`)) this.#delete(comments, row);
  }

  #sign(domain: Domain, b: number, c: number): void {
    const { id } = domain;
    if (domain.kind === 'secondary' || this.#signed.has(id)) return;
    this.#signed.add(id);
    const row = this.#all(dnssec).find(({ domainId }) => domainId === id);
    const next = row === undefined ? this.#firstSigning(id, b) : this.#nextSigning(domain, row, b, c);
    if (next !== null) this.#put(dnssec, next);
    else if (row !== undefined) this.#delete(dnssec, row);
  }

  #firstSigning(domainId: number, b: number): DnssecRow {
    const keys = [this.#newKey(domainId, 1, 15)];
    const row = { domainId, algorithm: 15, clock: 1_800_000_000, keys, foreign: [], parent: 'publish' } as const;
    return b % 3 === 0 ? row : startSigning(row);
  }

  #nextSigning({ apex }: Domain, row: DnssecRow, b: number, c: number): DnssecRow | null {
    const { progress, ...done } = row;
    const sizes = { listed: 1 + (b % 30), signed: 1 + (c % 30) };
    if (progress !== undefined) return nextPiece(this.#environment, apex, row, sizes);
    const clock = row.clock + (c % 10) * 86_400;
    if (b % 5 === 0) return c % 2 === 0 ? startUnsigning(row) : null;
    if (b % 5 > 2) return { ...row, clock };
    if (b % 5 > 1) return startResigning(row, { ...done, clock });
    const createKey = () => this.#newKey(row.domainId, Math.max(...row.keys.map(({ id }) => id)) + 1, c % 2 ? 13 : 15);
    if (c % 3 > 0 || signingKeys(row).length > 1) return replaceAlgorithm(row, createKey);
    const key = createKey();
    const old = row.keys.slice(-1).map((last) => ({ ...last, use: 'publish' as const }));
    return startResigning(row, { ...done, clock, keys: [...old, key] });
  }

  #putAccountRow(b: number, c: number): void {
    const account = {
      ...newAccount(),
      id: 1 + (b % ACCOUNTS),
      username: `user${b % ACCOUNTS}`,
      email: `${b % ACCOUNTS}`,
    };
    const id = 1 + (c % 5);
    const put = pick(
      [
        () => this.#put(accounts, account),
        () => this.#put(tokens, { id, accountId: 1, name: `${c}`, hash: `${id}`, scopes: [], createdAt: 1 } as never),
        () => this.#put(apps, { id: `app${id}`, accountId: 1, note: `${c}` } as never),
        () => this.#put(ticketKeys, { keys: [`${c}`] } as never),
        () => this.#put(audits, { id: 0x1000 + this.#rows.size, accountId: 1, action: `${c}` } as never),
      ],
      b >> 4,
    );
    put();
  }

  #putDomainRow({ id: domainId }: Domain, b: number, c: number): void {
    const put = pick(
      [
        () => this.#put(secondaries, { domainId, serial: c } as never),
        () =>
          this.#put(certificates, { domainId, chain: `${c}`, sealedKey: '', notBefore: 0, notAfter: 0, createdAt: 0 }),
        () => this.#put(siteDocuments, { domainId, kind: 'rules', revision: c, updatedAt: 0, content: {} }),
        () => this.#put(purges, { id: 1 + (c % 3), domainId, urls: [], prefixes: [], tags: ['a'], createdAt: 0 }),
        () => this.#put(zoneLabels, { domainId, labels: {}, groups: [`${c}`] } as never),
      ],
      b,
    );
    put();
  }
}

function domainOf(apex: string, b: number): Domain {
  const domain = { ...newDomain(apex, b % 2 === 0 ? KEPT : null), accountId: b % ACCOUNTS };
  if (apex === 'c.test.') return { ...domain, kind: 'catalog' };
  if (apex === 'all.test.') return { ...domain, kind: 'catalog', members: 'all' };
  return apex === 's.test.' ? { ...domain, kind: 'secondary', kept: null } : domain;
}

function recordOf(domain: Domain, b: number, c: number): RecordRow {
  const { id: domainId, apex } = domain;
  const target = parseName(pick(OWNERS, c >> 4), apex);
  const types: readonly (readonly [number, Iterable<number>])[] = [
    [TYPE.A, [192, 0, 2, c & 3]],
    [TYPE.AAAA, [...Array(15).fill(1), c & 3]],
    [TYPE.TXT, [1, c & 3]],
    [TYPE.MX, [...words(c & 3), ...target]],
    [TYPE.SRV, [...words(c & 3, 1, 2), ...target]],
    [TYPE.NS, target],
    [TYPE.NS, target],
    [TYPE.CNAME, target],
    [TYPE.DNAME, target],
    [TYPE.ALIAS, parseName(pick(ALIAS_TARGETS, c >> 4))],
    // With automatic hints, of the owner or of a target.
    [TYPE.HTTPS, [...words(1), ...(c & 1 ? [0] : target), ...words(4, 1), 0, ...words(6, 1), 0]],
    [TYPE.HTTPS, [...words(1), ...target, ...words(4, 1), 0]],
    [TYPE.DS, [...words(c & 3), 13, 2, ...Array(32).fill(c & 1)]],
  ];
  const owner = parseName(pick(OWNERS, b), apex);
  // A DS at the apex is refused: it belongs to the parent.
  const isSoa = domain.kind === 'secondary' && b % 3 === 0;
  const soa = [...parseName('ns.test.'), ...parseName('h.test.'), ...words(0, c & 255, 0, 9, 0, 9, 0, 9, 0, 9)];
  const [type, rdata] = isSoa
    ? ([TYPE.SOA, soa] as const)
    : pick(owner.length === apex.length ? types.slice(0, -1) : types, c);
  const isShared = c % 3 === 0;
  return {
    id: 1 + (b % 0x7fff) * 8 + (c % 8),
    domainId,
    name: isSoa ? apex : owner,
    type,
    ttl: 300,
    rdata: Uint8Array.from(rdata),
    proxied: isShared ? null : c % 3 === 1,
    createdAt: 1,
    updatedAt: 1,
  };
}

function challengeOf({ id: domainId, apex }: Domain, b: number): AcmeChallenge {
  const content = createHash('sha256')
    .update(`${b % 3}`)
    .digest('base64url');
  const isHttp = b % 4 === 0;
  const below = !isHttp && b % 3 === 2 ? { name: `deep.www.${formatHost(apex)}` } : {};
  return { domainId, type: isHttp ? 'http-01' : 'dns-01', token: `${b % 3} ${isHttp}`, ...below, content };
}

function aliasTargetOf(b: number, c: number): AliasTarget {
  const family = { addresses: [`c00002${(16 + (c % 4)).toString(16)}`], ttl: 60, stale: c % 7 === 0, goodAt: 1 };
  const entry = { a: c % 5 === 0 ? null : family, aaaa: null, error: null, checkedAt: 1 };
  // Owners start with the id of their domain.
  const all = { from: '', to: null };
  const row = { name: parseName(pick(ALIAS_TARGETS, b)), ...entry, spread: all };
  return b % 3 === 0 ? { ...row, own: { 1: { ...entry, spread: all } } } : row;
}
