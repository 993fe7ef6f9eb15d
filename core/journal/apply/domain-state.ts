/**
 * What applying an entry has to do for a domain. The state of a domain is read before the first
 * write of the entry to it, and after the last. `difference` compares both. It reads nothing and
 * writes nothing.
 */
import { dueHashes, type HashRange } from '../../dns/dnssec/lifetime.ts';
import { ALL_HASHES } from '../../dns/dnssec/zone-signer.ts';
import type { RRset } from '../../dns/wire/types.ts';
import type { Id } from '../../store/keys.ts';
import { type DnssecRow, type Domain, dnssec, domains, signingKeys } from '../../store/rows.ts';

/** The rows of a domain that change how its records, or other zones, are served. */
export interface DomainState {
  /** Null: the domain does not exist. */
  readonly domain: Domain | null;
  /** It was deleted, and its rows are still there. */
  readonly isInBin: boolean;
  readonly isProxied: boolean;
  /** Null: the zone is not signed. */
  readonly signing: DnssecRow | null;
  /** The RRset that the apex serves for the origin of the proxy; null: none. */
  readonly origin: RRset | null;
  /** The delegation to the zone in our zone around it, as text; null: there is none. */
  readonly delegation: string | null;
}

/** The writes of one entry to a domain. */
export interface DomainWrites {
  readonly id: Id;
  readonly before: DomainState;
  /**
   * Numbers of the written tables whose rows change the state. Of records only those at the apex
   * do.
   */
  readonly tables: Set<number>;
}

export interface DomainDifference {
  /** The row that was deleted or replaced. */
  readonly deleted: Domain | null;
  /** The row that was added, or that replaces another one. */
  readonly added: Domain | null;
  /** The domain whose rows stay without it, or were without it. */
  readonly moved: { readonly domain: Domain; readonly isRestored: boolean } | null;
  /** The last row of a deleted domain was deleted. */
  readonly isPurged: boolean;
  /** Every answer of the zone may change. */
  readonly isWhole: boolean;
  readonly signing: SigningDifference | null;
  /** The RRset that the apex serves for the origin, if it changes. */
  readonly origin: { readonly before: RRset | null; readonly after: RRset | null } | null;
  /** Whether our zone around it has another delegation, or had one that is gone. */
  readonly changesDelegation: boolean;
  /** Whether other catalogs may list the domain than before. */
  readonly changesListing: boolean;
}

/** Names whose signatures change. */
export interface SigningDifference {
  /** All names: the zone is signed or unsigned as a whole. */
  readonly isWhole: boolean;
  readonly isApexDue: boolean;
  /** Hashes of names below the apex. */
  readonly due: readonly HashRange[];
  /** Names that are listed in the nsec3 table: by key of the answers table, from < key ≤ to. */
  readonly listing: { readonly from: string; readonly to: string | null } | null;
  /** The last row of a signing in pieces was deleted: the zone has no chain any more. */
  readonly endsChain: boolean;
}

export function difference({ before, tables }: DomainWrites, after: DomainState): DomainDifference {
  const isRow = tables.has(domains.number);
  return {
    deleted: isRow ? before.domain : null,
    added: isRow ? after.domain : null,
    moved: before.isInBin === after.isInBin ? null : moveOf(before, after),
    isPurged: before.isInBin && !after.isInBin && after.domain === null,
    // Without the domain there are no answers, and its names were deleted with it.
    isWhole: after.domain !== null && (isRow || before.isProxied !== after.isProxied),
    signing:
      after.domain !== null && tables.has(dnssec.number) ? signingDifference(before.signing, after.signing) : null,
    origin: isSameSet(before.origin, after.origin) ? null : { before: before.origin, after: after.origin },
    changesDelegation: isRow || before.delegation !== after.delegation,
    changesListing: isRow && changesListing(before.domain, after.domain),
  };
}

function moveOf(before: DomainState, after: DomainState): DomainDifference['moved'] {
  if (after.domain !== null) return { domain: after.domain, isRestored: true };
  return before.domain === null ? null : { domain: before.domain, isRestored: false };
}

/** A replaced row is a delete and a put, so rows are compared by the members that matter. */
const changesListing = (before: Domain | null, after: Domain | null): boolean =>
  before?.accountId !== after?.accountId || before?.kind !== after?.kind || before?.consumes !== after?.consumes;

function isSameSet(a: RRset | null, b: RRset | null): boolean {
  if (a === null || b === null) return a === b;
  return a.type === b.type && Buffer.compare(a.rdatas[0], b.rdatas[0]) === 0;
}

function signingDifference(before: DnssecRow | null, after: DnssecRow | null): SigningDifference {
  const due = dueSignatures(before, after);
  if (before === null || after === null) {
    // No names are due at the first and the last row of a signing in pieces.
    const isWhole = due.length > 0;
    return { isWhole, isApexDue: !isWhole, due: [], listing: null, endsChain: !isWhole && after === null };
  }
  const [from, to] = [before.progress?.listedTo, after.progress?.listedTo];
  return {
    isWhole: false,
    isApexDue: changesApex(before, after),
    due,
    listing: from != null && to !== undefined ? { from, to } : null,
    endsChain: false,
  };
}

/** How the names in a range of hashes are signed. */
interface Rule {
  /** Public keys; empty: the names are not signed. */
  readonly keys: string;
  readonly clock: number;
}

/** The hashes of names below the apex whose signatures differ between two rows. */
function dueSignatures(before: DnssecRow | null, after: DnssecRow | null): HashRange[] {
  const limits = [0, limitOf(before), limitOf(after), ALL_HASHES].sort((a, b) => a - b);
  const due: HashRange[] = [];
  for (let i = 1; i < limits.length; i++) {
    const range = { first: limits[i - 1], last: limits[i] - 1 };
    if (range.first > range.last) continue;
    const old = ruleAt(before, range.first);
    const current = ruleAt(after, range.first);
    if (old.keys !== current.keys) due.push(range);
    else if (current.keys !== '' && old.clock !== current.clock)
      due.push(...dueBetween(old.clock, current.clock, range));
  }
  return due;
}

/**
 * Whether the records at the apex, or their keys, may differ between two rows. A new clock alone
 * does not count: see `dueSignatures`.
 */
function changesApex(before: DnssecRow, after: DnssecRow): boolean {
  const textOf = ({ clock: _clock, progress, keys, ...row }: DnssecRow): string =>
    JSON.stringify([row, keys.map(({ sealed: _sealed, ...key }) => key), progress?.toward, progress?.from]);
  const isInPieces = before.progress !== undefined || after.progress !== undefined;
  return textOf(before) !== textOf(after) || (isInPieces && before.clock !== after.clock);
}

const limitOf = (row: DnssecRow | null): number => row?.progress?.signedTo ?? 0;

function ruleAt(row: DnssecRow | null, prefix: number): Rule {
  if (row === null) return { keys: '', clock: 0 };
  const { keys, clock, progress } = row;
  const textOf = (signing: DnssecRow['keys']): string => signing.map(({ dnskey }) => dnskey).join();
  if (progress === undefined || prefix < progress.signedTo) {
    return { keys: progress?.toward === 'unsigned' ? '' : textOf(signingKeys(row)), clock };
  }
  return { keys: textOf(keys.filter(({ id }) => progress.from.includes(id))), clock: progress.clock };
}

function dueBetween(from: number, to: number, { first, last }: HashRange): HashRange[] {
  return dueHashes(from, to)
    .map((range) => ({ first: Math.max(first, range.first), last: Math.min(last, range.last) }))
    .filter((range) => range.first <= range.last);
}
