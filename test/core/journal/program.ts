/**
 * Small programs of reads and writes that run on a draft or on a plain store with the same result.
 * Every written value depends on all earlier reads, so a stale read changes the result.
 */

import { type Name, parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { KeyRange } from '../../../core/journal/journal.ts';
import { afterPrefix, type Id, idKey, LOOKUP, lookupKey } from '../../../core/store/keys.ts';
import { LOOKUPS, TARGETS } from '../../../core/store/raw-reader.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Account,
  type Audit,
  accounts,
  audits,
  type Domain,
  domains,
  PRIMARY,
  type RecordRow,
  records,
  type Table,
} from '../../../core/store/rows.ts';
import fc from '../../support/fc.ts';

export interface Target extends Reader {
  put<Row>(table: Table<Row>, row: Row): void;
  delete<Row>(table: Table<Row>, row: Row): void;
  addReadRange(range: KeyRange): void;
}

/** `a`, `b` and `c` select from the few existing rows; their meaning depends on the step. */
export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly limit: number | undefined;
}

const WRITES = [
  'put account',
  'swap logins',
  'delete account',
  'put domain',
  'delete domain',
  'put record',
  'put record',
  'move record',
  'delete record',
  'put audit',
] as const;
const READS = [
  'account',
  'login',
  'accounts',
  'domain',
  'apex',
  'below',
  'domains of',
  'all domains',
  'count domains',
  'record',
  'records at',
  'records of',
  'targets at',
  'audit',
] as const;
const KINDS = [...WRITES, ...READS, 'cover'] as const;

const stepOf = (kinds: readonly Step['kind'][]): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    a: fc.nat(11),
    b: fc.nat(11),
    c: fc.nat(11),
    limit: fc.option(fc.nat(4), { nil: undefined }),
  });

export const steps = fc.array(stepOf(KINDS), { minLength: 1, maxLength: 12, size: 'max' });
/** Programs for the initial content. */
export const setUp = fc.array(stepOf(WRITES), { maxLength: 40, size: 'max' });
/** All kinds of reads, with many of each. */
export const readings = fc.array(stepOf(READS), { minLength: 30, maxLength: 60, size: 'max' });

const ACCOUNTS = 4;
const idOf = (n: number): Id => n + 1;
const LOGINS = ['anna', 'ben', 'carl', 'dora', 'emil'];
/** Domain `n` and domain `n + 4` have the same name, one after the other. */
const APEXES = ['test.', 'a.test.', 'b.a.test.', 'c.test.'].map((text) => parseName(text));
const domainId = (n: number): Id => idOf(0x100 + (n % 8));
const OWNERS = ['@', 'x', '*.x', 'y', 'y.x'];
const TYPES = [TYPE.A, TYPE.CNAME, TYPE.MX];

/**
 * Runs the program step by step. `salt` distinguishes its writes from those of other programs.
 * Returns what it has read.
 */
export function* run(target: Target, program: readonly Step[], salt: number): Generator<void, string[]> {
  const seen: string[] = [];
  for (const step of program) {
    seen.push(perform(target, step, hash(`${salt} ${seen.join('\n')}`), salt));
    yield;
  }
  return seen;
}

/** Runs all steps at once. */
export function runAll(target: Target, program: readonly Step[], salt: number): string[] {
  const running = run(target, program, salt);
  for (;;) {
    const { done, value } = running.next();
    if (done) return value as string[];
  }
}

/** Runs one step and returns what it has read. `value` becomes part of its writes. */
function perform(target: Target, { kind, a, b, c, limit }: Step, value: number, salt: number): string {
  const account = idOf(a % ACCOUNTS);
  const login = LOGINS[b % LOGINS.length];
  const domain = target.domain.bind(target);
  switch (kind) {
    case 'put account': {
      const holder = target.accountByLogin(login);
      if (holder === undefined || holder.id === account) target.put(accounts, accountOf(account, login, value));
      return show(holder);
    }
    case 'swap logins': {
      const [first, second] = [target.account(account), target.account(idOf(b % ACCOUNTS))];
      if (first === undefined || second === undefined || first.id === second.id) return show(first, second);
      target.put(accounts, accountOf(first.id, second.username, value));
      target.put(accounts, accountOf(second.id, first.username, value));
      return show(first, second);
    }
    case 'delete account': {
      const row = target.account(account);
      if (row !== undefined) target.delete(accounts, row);
      return show(row);
    }
    case 'put domain': {
      const apex = APEXES[a % APEXES.length];
      const holder = target.domainByApex(apex);
      const old = domain(domainId(a));
      if (holder === undefined || holder.id === domainId(a)) {
        const accountId = old?.accountId ?? idOf(b % ACCOUNTS);
        target.put(domains, { id: domainId(a), accountId, apex, createdAt: value, kept: null, ...PRIMARY });
      }
      return show(holder, old);
    }
    case 'delete domain': {
      const row = domain(domainId(a));
      if (row === undefined) return show();
      const held = target.recordsOf(row.id, null);
      for (const record of held) target.delete(records, record);
      target.delete(domains, row);
      return show(row, ...held);
    }
    case 'put record': {
      const within = domain(domainId(a));
      // A record never reuses the id of another record (see newId).
      const id = idOf(0x200 + salt * 16 + b);
      const old = target.record(id);
      if (within === undefined || old !== undefined) return show(within, old);
      target.put(records, recordOf(id, within, b, c, value));
      return show(within);
    }
    case 'move record': {
      const found = recordAt(target, a, b);
      if (found === undefined) return show();
      const within = domain(found.domainId);
      if (within === undefined) return show(found);
      const moved = recordOf(found.id, within, c, b, value);
      // In either order.
      if (c % 2 === 0) target.delete(records, found);
      target.put(records, moved);
      if (c % 2 === 1 && !records.key(found).equals(records.key(moved))) target.delete(records, found);
      return show(found, within);
    }
    case 'delete record': {
      const found = recordAt(target, a, b);
      if (found !== undefined) target.delete(records, found);
      return show(found);
    }
    case 'put audit':
      target.put(audits, auditOf(account, idOf(0x300 + (b % 3)), value));
      return show();
    case 'cover':
      target.addReadRange(RANGES[a % RANGES.length]);
      return show();
    case 'account':
      return show(target.account(account));
    case 'login':
      return show(target.accountByLogin(login));
    case 'accounts':
      return show(...target.accounts(b % 2 === 0 ? null : account, limit ?? 100));
    case 'domain':
      return show(domain(domainId(a)));
    case 'apex':
      return show(target.domainByApex(APEXES[a % APEXES.length]));
    case 'below':
      return show(...target.domainsBelow(APEXES[a % APEXES.length], limit));
    case 'domains of':
      return show(...target.domainsOf(account, b % 2 === 0 ? null : APEXES[c % APEXES.length], limit));
    case 'all domains':
      return show(...target.allDomains(b % 2 === 0 ? null : APEXES[c % APEXES.length], limit));
    case 'count domains':
      return `${target.countDomains(account, limit)}`;
    case 'record':
      return show(recordAt(target, a, b));
    case 'records at':
      return show(...target.recordsAt(domainId(a), ownerOf(a, b)));
    case 'records of':
      return show(...target.recordsOf(domainId(a), c % 2 === 0 ? null : someKey(a, b, c), limit));
    case 'targets at':
      return target
        .targetsAt(domainId(a), ownerOf(a, b))
        .map(({ owner, type }) => `${Buffer.from(owner).toString('hex')} ${type}`)
        .join(' ');
    case 'audit':
      return show(target.row(audits, audits.key(auditOf(account, idOf(0x300 + (b % 3)), 0))));
    default:
      return kind satisfies never;
  }
}

const RANGES: readonly KeyRange[] = [
  { table: LOOKUPS, start: lookupKey(LOOKUP.domainName), end: afterPrefix(lookupKey(LOOKUP.domainName)) },
  { table: LOOKUPS, start: lookupKey(LOOKUP.login), end: lookupKey(LOOKUP.login, Buffer.from('ben')) },
  { table: accounts.number, start: idKey(idOf(0)), end: idKey(idOf(2)) },
  { table: accounts.number, start: idKey(idOf(1)), end: undefined },
  { table: records.number, start: idKey(domainId(0)), end: idKey(domainId(2)) },
  { table: records.number, start: idKey(domainId(1)), end: idKey(domainId(2)) },
  { table: TARGETS, start: idKey(domainId(0)), end: idKey(domainId(1)) },
  { table: domains.number, start: idKey(domainId(1)), end: idKey(domainId(3)) },
];

const ownerOf = (domain: number, n: number): Name =>
  parseName(OWNERS[n % OWNERS.length], APEXES[domain % APEXES.length]);

/** A record of the zone, if it has that many. */
function recordAt(target: Target, domain: number, n: number): RecordRow | undefined {
  const row = target.recordsOf(domainId(domain), null, (n % 5) + 1)[n % 5];
  return row && target.record(row.id);
}

function someKey(domain: number, owner: number, n: number): Buffer {
  const within = { id: domainId(domain), apex: APEXES[domain % APEXES.length] };
  return records.key(recordOf(idOf(0x200 + n), within, owner, n, 0));
}

function accountOf(id: Id, username: string, value: number): Account {
  const rest = { role: 'user', passwordHash: '', apiEnabled: true, createdAt: 0, updatedAt: value } as const;
  return { id, username, email: `${username}@example.com`, plan: 'free', ...rest };
}

function recordOf(id: Id, { id: domain, apex }: Pick<Domain, 'id' | 'apex'>, owner: number, n: number, ttl: number) {
  const type = TYPES[n % TYPES.length];
  const to = parseName(OWNERS[(n >> 1) % OWNERS.length], apex);
  const rdata =
    type === TYPE.A ? Uint8Array.of(192, 0, 2, n) : Uint8Array.from([...(type === TYPE.MX ? [0, 1] : []), ...to]);
  const name = parseName(OWNERS[owner % OWNERS.length], apex);
  return { id, domainId: domain, name, type, ttl, rdata, proxied: null, createdAt: 0, updatedAt: 0 };
}

function auditOf(accountId: Id, id: Id, at: number): Audit {
  const rest = {
    actor: null,
    action: 'test',
    domain: null,
    target: null,
    detail: {},
    requestId: '',
    remoteAddress: '',
  };
  return { id, accountId, ...rest, at, revision: 0 };
}

type Shown = Account | Domain | RecordRow | Audit;

/** Rows by id, with the value that they were written with. */
function show(...rows: (Shown | undefined)[]): string {
  const valueIn = (row: Shown): number => {
    if ('apex' in row) return row.createdAt;
    if ('rdata' in row) return row.ttl;
    return 'plan' in row ? row.updatedAt : row.at;
  };
  return rows.map((row) => (row === undefined ? '-' : `${row.id}=${valueIn(row)}`)).join(' ');
}

function hash(text: string): number {
  let h = 7;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) & 0x7fffffff;
  return h;
}
