/** The state of a secondary zone that its primary signs, from the records of the apex. */
import { costInIterations } from '../../dns/dnssec/nsec3.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { RecordRow } from '../../store/rows.ts';
import { denialOf, MAX_ITERATIONS, parametersOf } from '../../zone/compile/presigned.ts';
import type { PresignedDenial } from '../../zone/compile/signer.ts';
import { addRdata } from '../../zone/compile/stored.ts';

interface PresignedState {
  /** The kind of denial of existence. */
  readonly denial: PresignedDenial['kind'];
  /** When the first signature at the apex expires, in seconds since 1970. */
  readonly earliestExpiry: number;
  /** Why validating resolvers reject answers of the zone; null: no reason was found. */
  readonly problem: string | null;
}

/** Offset of the expiration in RRSIG rdata (RFC 4034 section 3.1). */
const EXPIRATION_AT = 8;

/**
 * Null: the zone is not signed. `apexRecords`: in order of type. `now`: in seconds since 1970.
 * `maxIterations`: see `requireCheapHashing` of core/upkeep/secondary/content.ts.
 */
export function presignedState(
  apexRecords: readonly RecordRow[],
  now: number,
  maxIterations: number,
): PresignedState | null {
  const sets: { type: number; ttl: number; rdatas: Uint8Array[] }[] = [];
  for (const { type, ttl, rdata } of apexRecords) addRdata(sets, type, ttl, rdata);
  const denial = denialOf(sets);
  if (denial === null) return null;
  const expirations = sets
    .filter(({ type }) => type === TYPE.RRSIG)
    .flatMap(({ rdatas }) => rdatas.map((rdata) => expirationOf(rdata, now)));
  const earliestExpiry = Math.min(...expirations);
  return { denial: denial.kind, earliestExpiry, problem: problemOf(sets, denial, earliestExpiry - now, maxIterations) };
}

/** The time is a serial number: it is within 68 years of now (section 3.1.5). */
function expirationOf(rdata: Uint8Array, now: number): number {
  const time = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).readUInt32BE(EXPIRATION_AT);
  return now + ((time - now) | 0);
}

function problemOf(
  sets: readonly { readonly type: number; readonly rdatas: readonly Uint8Array[] }[],
  denial: PresignedDenial,
  left: number,
  maxIterations: number,
): string | null {
  if (left <= 0) return 'A signature at the apex has expired; sign the zone again at its primary.';
  if (denial.kind === 'nsec3' && costInIterations(denial.hashing) > maxIterations)
    return (
      `Its NSEC3 records cost as much as ${costInIterations(denial.hashing)} additional iterations, and the limit is ` +
      `${maxIterations}: changes are not transferred, and names whose denial costs too much get SERVFAIL; sign it with 0.`
    );
  if (denial.kind !== 'none') return null;
  const all = sets.find(({ type }) => type === TYPE.NSEC3PARAM)?.rdatas.map(parametersOf) ?? [];
  const iterations = all.find((parameters) => parameters !== null)?.iterations;
  if (iterations !== undefined && iterations > MAX_ITERATIONS)
    return `Its NSEC3 records have ${iterations} additional iterations; use ${MAX_ITERATIONS} or fewer, best 0.`;
  return 'The apex has neither an NSEC nor a usable NSEC3PARAM record, so names cannot be denied.';
}
