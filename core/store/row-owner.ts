/**
 * Assigns the bytes of rows to zones and accounts. Every table that customers can fill counts
 * towards a zone or an account; the plan limits the sum (core/journal/quotas.ts). The other tables
 * are written by the service or have a limit of their own.
 */
import type { Id } from './keys.ts';
import { STAMP, unjson } from './rows/table.ts';
import {
  accounts,
  acmeAccounts,
  acmeChallenges,
  acmeOrders,
  aliasTargets,
  apps,
  audits,
  automaticCertificates,
  certificates,
  comments,
  delegations,
  deliveries,
  dnssec,
  dnssecStates,
  domains,
  idCounters,
  isOver,
  originHealth,
  passkeys,
  proxies,
  purges,
  records,
  renumberings,
  replays,
  reports,
  secondaries,
  sessions,
  siteDocuments,
  siteDocumentVersions,
  spellings,
  spentChallenges,
  storeKeys,
  TABLES,
  ticketKeys,
  tokens,
  tokenUses,
  totps,
  tsigKeys,
  type Upload,
  uploads,
  webhookQueues,
  webhooks,
  zoneLabels,
} from './rows.ts';

/**
 * `zone`: the key starts with the domain id. `account`: the value is JSON with `accountId`.
 * `audit`: the key starts with the account id; audit entries do not count towards the plan's limit.
 * `none`: not counted.
 */
type RowOwner = 'zone' | 'account' | 'audit' | 'none';

const ZONE = [
  domains,
  records,
  spellings,
  comments,
  zoneLabels,
  proxies,
  certificates,
  siteDocuments,
  siteDocumentVersions,
];
const ACCOUNT = [tokens, tsigKeys, webhooks, passkeys, apps, uploads, replays];

/** The bound of each table that is not counted. */
export const UNCOUNTED: ReadonlyMap<{ readonly number: number }, string> = new Map<{ readonly number: number }, string>(
  [
    [accounts, 'administrators create them; the fields are short'],
    [sessions, '100 for each account'],
    [tokenUses, 'one for each token, 5 bytes'],
    [totps, 'one for each account'],
    [spentChallenges, 'they expire within minutes; sign-ins have a rate'],
    [purges, 'a rate for each domain; they expire'],
    [automaticCertificates, 'one for each domain'],
    [acmeAccounts, 'one for each directory'],
    [acmeOrders, 'one for each domain'],
    [acmeChallenges, 'those of one order for each domain'],
    [dnssec, 'one for each domain; a limited number of keys'],
    [dnssecStates, 'one for each domain'],
    [delegations, 'one for each domain'],
    [secondaries, 'one for each domain'],
    [originHealth, 'one for each domain and region'],
    [aliasTargets, 'one for each target of a record that counts and accounts in whose zones it is'],
    [deliveries, 'a limited number and size for each webhook'],
    [webhookQueues, 'one row'],
    [reports, 'one of limited size for each upload'],
    [renumberings, 'written by the service when settings change'],
    [idCounters, 'one for each table'],
    [storeKeys, 'written by administrators'],
    [ticketKeys, 'one row'],
  ],
);

/** By table number. */
const OWNERS: RowOwner[] = [];
for (const { number } of ZONE) OWNERS[number] = 'zone';
for (const { number } of ACCOUNT) OWNERS[number] = 'account';
OWNERS[audits.number] = 'audit';
const STAMPS: number[] = [];
for (const [number, { stamped }] of TABLES) STAMPS[number] = stamped ? STAMP : 0;

export const rowOwner = (table: number): RowOwner => OWNERS[table] ?? 'none';

/** Bytes of a row: key and value. `isStored`: the value has a stamp, which is not counted. */
export const rowSize = (table: number, key: Uint8Array, value: Uint8Array, isStored: boolean): number =>
  key.length + value.length - (isStored ? STAMPS[table] : 0);

/** Account and bytes of a row with the owner `account`. An upload includes its package. */
export function accountShare(
  table: number,
  key: Uint8Array,
  value: Uint8Array,
  isStored: boolean,
): { readonly accountId: Id; readonly bytes: number } {
  const end = isStored ? value.length - STAMPS[table] : value.length;
  // Rows of older versions may have no account.
  const row = unjson<{ accountId?: Id } & Partial<Pick<Upload, 'size' | 'state'>>>(value, end);
  const file = table === uploads.number && row.state !== undefined && !isOver(row.state) ? (row.size ?? 0) : 0;
  return { accountId: row.accountId ?? 0, bytes: key.length + end + file };
}
