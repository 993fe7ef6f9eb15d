/**
 * How the row of a signed zone changes while all its names are signed, signed by other keys, or
 * unsigned. Each piece is an entry that names its end, so that every node compiles the same names;
 * other writes may come between pieces. A name is signed by what its hash and the row say, so a
 * rebuild at any moment produces the same bytes. Names are first listed in the nsec3 table, by
 * name, then signed by hash, so that each NSEC3 record is signed once.
 */
import { ALL_HASHES } from '../../dns/dnssec/zone-signer.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, nameKey, nsec3Key } from '../../store/keys.ts';
import type { DnssecRow } from '../../store/rows.ts';

type Row = Omit<DnssecRow, 'progress'>;

/** The first row of a zone that is not signed yet. */
export function startSigning(row: Row): DnssecRow {
  return { ...row, progress: { toward: 'signed', from: [], clock: row.clock, listedTo: '', signedTo: 0 } };
}

/**
 * Signs all names by the keys and the clock of `row`, which has the keys of `before` and maybe
 * others. The progress of `before` must have ended.
 */
export function startResigning(before: DnssecRow, row: Row): DnssecRow {
  const { clock } = before;
  return { ...row, progress: { toward: 'signed', from: signingIds(before), clock, listedTo: null, signedTo: 0 } };
}

/** Unsigns all names. Then the row is deleted. The progress of `row` must have ended. */
export function startUnsigning(row: DnssecRow): DnssecRow {
  const { clock } = row;
  return { ...row, progress: { toward: 'unsigned', from: signingIds(row), clock, listedTo: null, signedTo: 0 } };
}

const signingIds = ({ keys }: Row): number[] => keys.filter(({ use }) => use === 'sign').map(({ id }) => id);

/**
 * The row with which a change of a zone's signing begins; `before`, `after`: without progress, null
 * if the zone is not signed. Names are signed in pieces if their keys change.
 */
export function inPieces(before: DnssecRow | null, after: DnssecRow | null): DnssecRow | null {
  if (after === null) return before && startUnsigning(before);
  if (before === null) return startSigning(after);
  const hasSameKeys = signingIds(before).join() === signingIds(after).join();
  return hasSameKeys ? after : startResigning(before, after);
}

/** The clock of the names that were signed first: some wait for a later one while it advances. */
export const oldestClock = ({ clock, progress }: DnssecRow): number => Math.min(clock, progress?.clock ?? clock);

/** The clock of the names that were signed last. */
export const newestClock = ({ clock, progress }: DnssecRow): number => Math.max(clock, progress?.clock ?? clock);

/** Names of one piece. */
interface PieceSizes {
  readonly listed: number;
  readonly signed: number;
}

/**
 * The row after the next piece; null: the row is to be deleted. `row` has progress. The ends of the
 * piece are read from the tables, and may be any: they only decide how long its entry takes.
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

/** The first key of the nsec3 table whose hash begins with these 32 bits, or is after them. */
export function hashStart(domainId: Id, prefix: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(prefix);
  return nsec3Key(domainId, bytes);
}

/** The end of the keys of the nsec3 table whose hashes begin with these 32 bits. */
export const hashEnd = (domainId: Id, prefix: number): Buffer => afterPrefix(hashStart(domainId, prefix))!;
