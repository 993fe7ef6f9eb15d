/** Refreshes a zone: tries its primaries in order until one confirms the serial or transfers. */

import { ConflictError, UnavailableError, WaypostError } from '../../base/errors.ts';
import type { Slot } from '../../base/fair-slots.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import type { TsigKey } from '../../dns/wire/tsig.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Exemptions } from '../../net/address/index.ts';
import type { Domain, Primary, SecondaryRow } from '../../store/rows.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { isAfter } from '../../zone/compile/serial.ts';
import {
  type CommitParts,
  commitDifference,
  commitWholeZone,
  differenceTo,
  expiryOf,
  SupersededError,
  UnfitError,
} from './commit.ts';
import {
  type Difference,
  parametersAt,
  readDifference,
  recordsOfZone,
  requireCheapHashing,
  TransferWarnings,
} from './content.ts';
import type { TransferHolder, TransferMemory } from './memory.ts';
import type { ZoneReading } from './reading.ts';
import { type Expiry, querySerial, type Target, type Transferred, transfer } from './request.ts';
import { ResponseCodeError, soaNumbers } from './transfer-stream.ts';

export interface RefreshParts extends CommitParts {
  readonly reader: StoreReader;
  readonly reading: ZoneReading;
  readonly exemptions: Exemptions;
  readonly maxBytes: number;
  /** The source address of requests of a zone to an address; undefined: that of the route. */
  readonly sourceOf: (domain: Domain, to: string) => Promise<string | undefined>;
  readonly memory: TransferMemory;
  /** See `requireCheapHashing`. */
  readonly maxIterations: number;
  /** Whether an older serial of a primary is accepted before the zone has expired. */
  readonly acceptsOlder: boolean;
  /** The TSIG key of a primary; null: none. Throws an Error that can be shown to customers. */
  readonly keyOf: (primary: Primary) => TsigKey | null;
  /** Seconds since 1970. */
  readonly now: () => number;
}

export interface RefreshOptions {
  /** Transfers the whole zone, even if its serial is older. */
  readonly force: boolean;
  /** A primary has sent a NOTIFY: requests the transfer without an SOA query first. */
  readonly isNotified: boolean;
  readonly signal: AbortSignal;
  /** Counts the received bytes. The refresh ends when its signal aborts. */
  readonly slot: Slot;
  /** Index of the primary that is queried first. */
  readonly first: number;
}

export type Outcome =
  | { readonly kind: 'current'; readonly row: SecondaryRow }
  | { readonly kind: 'axfr' | 'ixfr'; readonly row: SecondaryRow }
  /** `slow`: index of the primary that was too slow; later primaries were not queried. */
  | { readonly kind: 'failed'; readonly error: string; readonly slow?: number };

/** Bytes per second that a primary must send while zones of other accounts wait. */
export const MINIMUM_RATE = 64 * 1024;
const TOO_SLOW = `it sent less than ${MINIMUM_RATE / 1024} KiB a second while zones of others waited; it is asked again`;

/** Up to this number of records, a whole zone is compared and only its difference committed. */
const MAX_COMPARED = 2000;
/** Larger differences are committed as whole zones, which are prepared in threads. */
const MAX_DIFFERENCE = 5000;
const MAX_ERROR = 500;

/** Never rejects, except with SupersededError, UnavailableError and other errors of commits. */
export async function refresh(
  parts: RefreshParts,
  domain: Domain,
  row: SecondaryRow,
  options: RefreshOptions,
): Promise<Outcome> {
  const faults: string[] = [];
  const { primaries } = domain;
  const { slot } = options;
  for (let i = 0; i < primaries.length; i++) {
    const number = (options.first + i) % primaries.length;
    const primary = primaries[number];
    options.signal.throwIfAborted();
    try {
      return await refreshFrom(parts, domain, row, primary, options);
    } catch (error) {
      if (isOfCommit(error)) throw error;
      options.signal.throwIfAborted();
      const isSlow = slot.signal.aborted;
      const message = isSlow ? TOO_SLOW : (error as Error).message;
      faults.push(`${primary.address}: ${message.replace(/\.$/, '')}`);
      if (isSlow) return { ...failed(faults), slow: number };
    }
  }
  return failed(faults);
}

function failed(faults: readonly string[]): Extract<Outcome, { kind: 'failed' }> {
  return { kind: 'failed', error: faults.join('; ').slice(0, MAX_ERROR) || 'the zone has no primaries' };
}

/** Whether a commit failed, so that another primary would not help. */
function isOfCommit(error: unknown): boolean {
  const kinds = [SupersededError, UnavailableError, ConflictError];
  return kinds.some((kind) => error instanceof kind);
}

async function refreshFrom(
  parts: RefreshParts,
  domain: Domain,
  row: SecondaryRow,
  primary: Primary,
  options: RefreshOptions,
): Promise<Outcome> {
  const { exemptions, maxBytes, memory, keyOf } = parts;
  const key = keyOf(primary);
  const expiry: Expiry = { isWanted: true, seconds: null };
  const held = memory.open(`${domain.accountId}`);
  const signal = AbortSignal.any([options.signal, options.slot.signal, held.signal]);
  const onMessage = (bytes: number): void => {
    options.slot.addProgress(bytes);
    held.add(bytes);
  };
  try {
    const source = await parts.sourceOf(domain, primary.address);
    const target = { primary, key, exemptions, maxBytes, signal, source, expiry, onMessage };
    return await refreshBy({ ...parts, expiry }, domain, row, options, held, target);
  } finally {
    held.close();
  }
}

async function refreshBy(
  parts: RefreshParts,
  domain: Domain,
  row: SecondaryRow,
  { force, isNotified }: RefreshOptions,
  held: TransferHolder,
  target: Target,
): Promise<Outcome> {
  const { primary } = target;
  const { apex } = domain;
  const ours = force ? null : row.serial;
  // As BIND: an expired zone has nothing to lose.
  const isExpired = row.expiresAt !== null && row.expiresAt <= parts.now();
  const how = { force, mayBeOlder: force || isExpired || parts.acceptsOlder };
  const transferWhole = async (): Promise<Outcome> => {
    held.isComplete = false;
    const whole = await transfer(apex, null, target);
    held.isComplete = true;
    return applyWhole(parts, domain, row, how, whole);
  };
  // Over TLS or after a NOTIFY, the IXFR itself reports whether the serial is newer.
  if (ours !== null && primary.tls === null && !isNotified) {
    const serial = await querySerial(apex, target);
    if (serial === ours) return confirmed(parts, row);
    if (!isAfter(serial, ours)) {
      if (how.mayBeOlder) return transferWhole();
      throw new Error(olderSerial(serial, ours));
    }
  }
  const transferred = await fetch(apex, ours, target);
  held.isComplete = true;
  if (transferred.kind === 'current' && ours !== null) {
    if (transferred.serial === ours) return confirmed(parts, row);
    if (how.mayBeOlder) return transferWhole();
    throw new Error(olderSerial(transferred.serial, ours));
  }
  if (transferred.kind === 'ixfr' && ours !== null) {
    try {
      return await applyDifference(parts, domain, row, ours, transferred);
    } catch (error) {
      if (isOfCommit(error)) throw error;
      if (!(error instanceof UnfitError) && !(error instanceof WaypostError)) throw error;
      return transferWhole();
    }
  }
  return applyWhole(parts, domain, row, how, transferred);
}

const secondsOf = ({ now }: RefreshParts): number => Math.floor(now());

const olderSerial = (theirs: number, ours: number): string => `its serial ${theirs} is older than ours, ${ours}`;

function confirmed(parts: RefreshParts, row: SecondaryRow): Outcome {
  const at = secondsOf(parts);
  const expiresAt = expiryOf(parts, row.expire, at);
  return { kind: 'current', row: { ...row, refreshedAt: at, expiresAt, error: null } };
}

/** Transfers by IXFR if the primary supports it, otherwise by AXFR. */
async function fetch(apex: Domain['apex'], serial: number | null, target: Target): Promise<Transferred> {
  if (serial === null) return transfer(apex, null, target);
  try {
    return await transfer(apex, serial, target);
  } catch (error) {
    // Servers without IXFR answer with any code (RFC 1995 section 4): NOTIMP, NOTAUTH, NXDOMAIN …
    if (!(error instanceof ResponseCodeError) && !(error instanceof WaypostError)) throw error;
    return transfer(apex, null, target);
  }
}

async function applyDifference(
  parts: RefreshParts,
  domain: Domain,
  before: SecondaryRow,
  from: number,
  { messages, serial }: Transferred,
): Promise<Outcome> {
  const bytes = messages.reduce((sum, { length }) => sum + length, 0);
  if (bytes > MAX_DIFFERENCE * 100) throw new UnfitError('the differences are too many');
  const difference = readDifference(messages, domain.apex, before.warnings);
  if (soaNumbers(difference.soa)[0] !== serial) throw new UnfitError('the differences do not lead to the new serial');
  if (difference.removed.length + difference.added.length > MAX_DIFFERENCE)
    throw new UnfitError('the differences are too many');
  requireCheapHashing(parametersAfter(parts, domain, difference), parts.maxIterations);
  const row = await commitDifference(parts, domain.id, difference, from, secondsOf(parts));
  return { kind: 'ixfr', row };
}

/** Rdata of the NSEC3PARAM records of the zone after a difference is applied. */
function parametersAfter({ reader }: RefreshParts, { id, apex }: Domain, difference: Difference): Uint8Array[] {
  const removed = new Set(parametersAt(apex, difference.removed).map(latin1));
  const stored = reader.recordsOfType(id, apex, TYPE.NSEC3PARAM).map(({ rdata }) => rdata);
  return [...stored.filter((rdata) => !removed.has(latin1(rdata))), ...parametersAt(apex, difference.added)];
}

async function applyWhole(
  parts: RefreshParts,
  domain: Domain,
  { serial }: SecondaryRow,
  { force, mayBeOlder }: { readonly force: boolean; readonly mayBeOlder: boolean },
  { messages, serial: theirs }: Transferred,
): Promise<Outcome> {
  const { reader, reading, maxIterations } = parts;
  if (!mayBeOlder && serial !== null && theirs !== serial && !isAfter(theirs, serial))
    throw new Error(olderSerial(theirs, serial));
  const from = force ? undefined : serial;
  if (serial !== null && reader.zoneState(domain.id).recordCount <= MAX_COMPARED) {
    const warnings = new TransferWarnings();
    const zone = recordsOfZone(messages, domain.apex, maxIterations, warnings);
    if (zone.length <= MAX_COMPARED) {
      const { rdata: soa } = zone.find(({ type }) => type === TYPE.SOA)!;
      const content = { soa, warnings: warnings.stored };
      const difference = differenceTo(reader.recordsOf(domain.id, null), zone, content);
      return { kind: 'axfr', row: await commitDifference(parts, domain.id, difference, serial, secondsOf(parts)) };
    }
  }
  const input = { messages, domainId: domain.id, apex: domain.apex, maxIterations, now: secondsOf(parts) };
  return {
    kind: 'axfr',
    row: await commitWholeZone(
      parts,
      domain.id,
      await reading.read(input, `${domain.accountId}`),
      from,
      secondsOf(parts),
    ),
  };
}
