/** Determines which signatures change with the signing row of a zone. */
import { dueHashes, type HashRange } from '../../dns/dnssec/lifetime.ts';
import { ALL_HASHES } from '../../dns/dnssec/zone-signer.ts';
import type { DnssecRow } from '../../store/rows.ts';

/** How the names in a range of hashes are signed. */
interface Rule {
  /** Public keys; empty: the names are not signed. */
  readonly keys: string;
  readonly clock: number;
}

/**
 * Returns the hashes of names below the apex whose signatures differ between two rows. Null: the
 * zone has no row and is not signed.
 */
export function dueSignatures(before: DnssecRow | null, after: DnssecRow | null): HashRange[] {
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
export function changesApex(before: DnssecRow, after: DnssecRow): boolean {
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
    const signing = progress?.toward === 'unsigned' ? [] : keys.filter(({ use }) => use === 'sign');
    return { keys: textOf(signing), clock };
  }
  return { keys: textOf(keys.filter(({ id }) => progress.from.includes(id))), clock: progress.clock };
}

function dueBetween(from: number, to: number, { first, last }: HashRange): HashRange[] {
  return dueHashes(from, to)
    .map((range) => ({ first: Math.max(first, range.first), last: Math.min(last, range.last) }))
    .filter((range) => range.first <= range.last);
}
