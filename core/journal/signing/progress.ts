/**
 * The progress in the row of a signed zone, while all its names are signed, signed with other keys,
 * or unsigned. Each piece is an entry that contains the end of the piece, so all nodes compile the
 * same names. Other writes may come between pieces. The signatures of a name depend only on its
 * hash and the row, so a rebuild at any time produces the same bytes. Names are first listed in the
 * nsec3 table, in name order. Then they are signed in hash order, so that each NSEC3 record is
 * signed once.
 */
import { ALL_HASHES } from '../../dns/dnssec/zone-signer.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, nameKey, nsec3Key } from '../../store/keys.ts';
import { type DnssecRow, signingKeys } from '../../store/rows.ts';

type Row = Omit<DnssecRow, 'progress'>;

/** Returns the first row of a zone that is not signed yet. */
export function startSigning(row: Row): DnssecRow {
  return { ...row, progress: { toward: 'signed', from: [], clock: row.clock, listedTo: '', signedTo: 0 } };
}

/**
 * Signs all names with the keys and the clock of `row`, which has the keys of `before` and possibly
 * more. `before` must have no progress.
 */
export function startResigning(before: DnssecRow, row: Row): DnssecRow {
  const { clock } = before;
  return { ...row, progress: { toward: 'signed', from: signingIds(before), clock, listedTo: null, signedTo: 0 } };
}

/** Unsigns all names, after which the row is deleted. `row` must have no progress. */
export function startUnsigning(row: DnssecRow): DnssecRow {
  const { clock } = row;
  return { ...row, progress: { toward: 'unsigned', from: signingIds(row), clock, listedTo: null, signedTo: 0 } };
}

const signingIds = (row: Row): number[] => signingKeys(row).map(({ id }) => id);

/**
 * Returns the first row of a change to the signing of a zone. `before` and `after` have no
 * progress; null: the zone is not signed. If the signing keys change, names are signed in pieces.
 */
export function inPieces(before: DnssecRow | null, after: DnssecRow | null): DnssecRow | null {
  if (after === null) return before && startUnsigning(before);
  if (before === null) return startSigning(after);
  const hasSameKeys = signingIds(before).join() === signingIds(after).join();
  return hasSameKeys ? after : startResigning(before, after);
}

/**
 * The clock of the oldest signatures. While the clock advances, some names still have the previous
 * clock.
 */
export const oldestClock = ({ clock, progress }: DnssecRow): number => Math.min(clock, progress?.clock ?? clock);

/** The clock of the newest signatures. */
export const newestClock = ({ clock, progress }: DnssecRow): number => Math.max(clock, progress?.clock ?? clock);

/** Maximum names of a piece. */
interface PieceSizes {
  readonly listed: number;
  readonly signed: number;
}

/**
 * Returns the row after the next piece; null: the row must be deleted. `row` must have progress.
 * The end of the piece is read from the tables. Any end is correct; it only determines the duration
 * of the entry.
 */
export function nextPiece(environment: Tables, apex: Name, row: DnssecRow, sizes: PieceSizes): DnssecRow | null {
  const { progress, ...done } = row;
  if (progress === undefined) throw new Error('The zone has no progress to continue.');
  const { listedTo, signedTo, toward } = progress;
  if (listedTo !== null)
    return { ...row, progress: { ...progress, listedTo: endOfListing(environment, apex, listedTo, sizes.listed) } };
  if (signedTo === ALL_HASHES) return toward === 'signed' ? done : null;
  const end = endOfSigning(environment, row.domainId, signedTo, sizes.signed);
  return { ...row, progress: { ...progress, signedTo: end } };
}

type Tables = Pick<Environment, 'answers' | 'nsec3'>;

function endOfListing({ answers }: Tables, apex: Name, from: string, count: number): string | null {
  const prefix = nameKey(apex);
  const start = from === '' ? prefix : Buffer.from(`${from}00`, 'hex');
  for (const key of answers.getKeys({ start, end: afterPrefix(prefix), offset: count, limit: 1 }))
    return Buffer.from(key as Uint8Array).toString('hex');
  return null;
}

function endOfSigning({ nsec3 }: Tables, domainId: Id, from: number, count: number): number {
  const range = { start: hashStart(domainId, from), end: afterPrefix(idKey(domainId)) };
  for (const key of nsec3.getKeys({ ...range, offset: count, limit: 1 }))
    return Math.max(from + 1, Buffer.from(key as Uint8Array).readUInt32BE(8));
  return ALL_HASHES;
}

/** The first possible key of the nsec3 table whose hash starts with these 32 bits. */
export function hashStart(domainId: Id, prefix: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(prefix);
  return nsec3Key(domainId, bytes);
}

/** The end of the keys of the nsec3 table whose hashes start with these 32 bits. */
export const hashEnd = (domainId: Id, prefix: number): Buffer => afterPrefix(hashStart(domainId, prefix))!;
