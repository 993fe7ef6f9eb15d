/** Encodes a steering document as the table of the query path (core/store/steering-table.ts). */

import { parsePrefix, unmapped } from '../../net/address/index.ts';
import { CONTINENTS, continentNumber, countryNumber } from '../../net/geography/place.ts';
import type { SteeringContent } from '../../store/rows.ts';
import {
  ANSWER_COUNT_AT,
  ANSWER_ENTRY,
  ANSWERS_AT,
  CHECK_AT,
  CONTINENTS_AT,
  COUNTRIES_AT,
  FALLBACK_COUNT_AT,
  hashRegion,
  NEEDS_AT,
  NEEDS_NETWORK,
  NEEDS_PLACE,
  NETWORKS4_AT,
  NETWORKS6_AT,
  OTHER_COUNTRY_AT,
  OTHER_REGION_AT,
  POOL_COUNT_AT,
  REGIONS_AT,
  STEERING_HEADER,
  VARIANT_AT,
} from '../../store/steering-table.ts';

interface TableAnswer {
  readonly weight: number;
  /** 8 bytes; null: not checked. */
  readonly check: Uint8Array | null;
  /** The number of its stored answer, which encodeNode replaces by the offset. */
  readonly variant: number;
}

type Rules = SteeringContent['rules'];

/** `answers`: those of each pool of the document, in its order. */
export function encodeSteering(
  { pools, rules, fallback }: SteeringContent,
  answers: readonly (readonly TableAnswer[])[],
): Buffer {
  const numbers = new Map(pools.map(({ name }, i) => [name, i]));
  const all = answers.flat();
  const header = Buffer.alloc(STEERING_HEADER);
  header[0] = rules.length;
  header[FALLBACK_COUNT_AT] = fallback.length;
  header[POOL_COUNT_AT] = pools.length;
  header[ANSWER_COUNT_AT] = all.length;
  if (rules.some(({ match }) => match.country.length + match.continent.length > 0)) header[NEEDS_AT] |= NEEDS_PLACE;
  if (rules.some(({ match }) => match.network.length > 0)) header[NEEDS_AT] |= NEEDS_NETWORK;
  for (let continent = 0; continent <= CONTINENTS.length; continent++)
    header.writeUInt32BE(
      maskOf(rules, ({ match }) => holds(match.continent.map(continentNumber), continent)),
      CONTINENTS_AT + 4 * continent,
    );
  header.writeUInt32BE(
    maskOf(rules, ({ match }) => match.country.length === 0),
    OTHER_COUNTRY_AT,
  );
  header.writeUInt32BE(
    maskOf(rules, ({ match }) => match.region.length === 0),
    OTHER_REGION_AT,
  );

  const poolNumbers = Buffer.from([...rules.map(({ pool }) => pool), ...fallback].map((name) => numbers.get(name)!));
  let first = 0;
  const spans = Buffer.from(
    answers.flatMap((own) => {
      first += own.length;
      return [first - own.length, own.length];
    }),
  );
  const entries = Buffer.alloc(all.length * ANSWER_ENTRY);
  for (const [i, { weight, check, variant }] of all.entries()) {
    entries.writeUInt16BE(weight, i * ANSWER_ENTRY);
    if (check !== null) entries.set(check, i * ANSWER_ENTRY + CHECK_AT);
    entries.writeUInt32BE(variant, i * ANSWER_ENTRY + VARIANT_AT);
  }

  const parts: Buffer[] = [header, poolNumbers, spans];
  const sizeOf = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  header.writeUInt16BE(sizeOf(), ANSWERS_AT);
  parts.push(entries);
  for (const [at, list] of [
    [COUNTRIES_AT, countryEntries(rules)],
    [REGIONS_AT, regionEntries(rules)],
    [NETWORKS4_AT, networkEntries(rules, 4)],
    [NETWORKS6_AT, networkEntries(rules, 16)],
  ] as const) {
    header.writeUInt16BE(sizeOf(), at);
    header.writeUInt16BE(list.length, at + 2);
    parts.push(...list);
  }
  return Buffer.concat(parts);
}

function maskOf(rules: Rules, allows: (rule: Rules[number]) => boolean): number {
  let mask = 0;
  for (const [i, rule] of rules.entries()) if (allows(rule)) mask |= 1 << i;
  return mask >>> 0;
}

/** Whether a condition holds: an empty list always does. */
const holds = <T>(values: readonly T[], value: T): boolean => values.length === 0 || values.includes(value);

function countryEntries(rules: Rules): Buffer[] {
  const codes = new Set(rules.flatMap(({ match }) => match.country));
  return [...codes]
    .map(countryNumber)
    .sort((a, b) => a - b)
    .map((country) => {
      const entry = Buffer.alloc(6);
      entry.writeUInt16BE(country, 0);
      entry.writeUInt32BE(
        maskOf(rules, ({ match }) => holds(match.country.map(countryNumber), country)),
        2,
      );
      return entry;
    });
}

function regionEntries(rules: Rules): Buffer[] {
  const regions = new Set(rules.flatMap(({ match }) => match.region));
  return [...regions].map((region) => {
    const entry = Buffer.alloc(8);
    entry.writeInt32BE(hashRegion(region), 0);
    entry.writeUInt32BE(
      maskOf(rules, ({ match }) => holds(match.region, region)),
      4,
    );
    return entry;
  });
}

/** Ranges of the addresses of a family by the rules whose networks have them. */
function networkEntries(rules: Rules, family: 4 | 16): Buffer[] {
  const networks = rules.map(({ match }) => match.network.map((text) => rangeOf(text)));
  const starts: Buffer[] = [Buffer.alloc(family)];
  for (const { first, after } of networks.flat()) {
    if (first.length !== family) continue;
    starts.push(first);
    if (after !== null) starts.push(after);
  }
  starts.sort(Buffer.compare);
  const entries: Buffer[] = [];
  let last = -1;
  for (const [i, start] of starts.entries()) {
    if (i > 0 && start.equals(starts[i - 1])) continue;
    const allows = (ranges: readonly Range[]): boolean =>
      ranges.length === 0 || ranges.some((range) => has(range, start));
    let mask = 0;
    for (const [rule, ranges] of networks.entries()) if (allows(ranges)) mask |= 1 << rule;
    if (mask >>> 0 === last) continue;
    last = mask >>> 0;
    const end = Buffer.alloc(4);
    end.writeUInt32BE(last);
    entries.push(Buffer.concat([start, end]));
  }
  return entries;
}

interface Range {
  readonly first: Buffer;
  /** The first address after it; null: there is none. */
  readonly after: Buffer | null;
}

function rangeOf(text: string): Range {
  const { bytes, bits } = unmapped(parsePrefix(text));
  const after = Buffer.from(bytes);
  if (bits === 0) return { first: Buffer.from(bytes), after: null };
  // Adds one at the last bit of the prefix.
  let carry = 1 << ((8 - (bits & 7)) & 7);
  for (let i = (bits - 1) >> 3; i >= 0 && carry > 0; i--) {
    const sum = after[i] + carry;
    after[i] = sum & 0xff;
    carry = sum >> 8;
  }
  return { first: Buffer.from(bytes), after: carry > 0 ? null : after };
}

const has = ({ first, after }: Range, address: Buffer): boolean =>
  first.length === address.length && first.compare(address) <= 0 && (after === null || address.compare(after) < 0);
