/**
 * Picks one of the stored answers of a steered record set for a client: class of the client (its
 * place and network) -> pool, by the order of the rules and by health -> answer, by weight. Hot:
 * allocates nothing. docs/internals/steering.md has the rules.
 */
import { randomInt } from 'node:crypto';
import { COUNTRY_MASK, continentOfPlace } from '../../net/geography/place.ts';
import { Places } from '../../net/geography/places.ts';
import {
  ANSWER_ENTRY,
  ANSWERS_AT,
  CHECK_AT,
  CONTINENTS_AT,
  COUNTRIES_AT,
  COUNTRY_ENTRY,
  FALLBACK_COUNT_AT,
  hashRegion,
  NEEDS_AT,
  NEEDS_NETWORK,
  NEEDS_PLACE,
  NETWORK4_ENTRY,
  NETWORK6_ENTRY,
  NETWORKS4_AT,
  NETWORKS6_AT,
  OTHER_COUNTRY_AT,
  OTHER_REGION_AT,
  REGION_ENTRY,
  REGIONS_AT,
  STEERING_HEADER,
  VARIANT_AT,
} from '../../store/steering-table.ts';
import { CheckedAnswers } from './checked-answers.ts';

/** What picks depend on besides the client. A plain object, so that it can be sent to a thread. */
export interface SteeringState {
  /** See Places; null: no place is known. */
  readonly places: SharedArrayBuffer | null;
  /** See CheckedAnswers. */
  readonly checked: SharedArrayBuffer | null;
  /** Of this node; empty: it has none. */
  readonly region: string;
}

/** Nothing is known of clients, and all answers count as up. */
export const NO_STATE: SteeringState = { places: null, checked: null, region: '' };

/** How a pool was found. */
export const BY = { RULE: 0, FALLBACK: 1, ALL_DOWN: 2 } as const;

export class Picker {
  /**
   * Of the last pick: the bits of the longest prefix around the client's address for which the
   * class is the same; the pool, how it was found, and the number of the rule, or of the entry of
   * the fall-back.
   */
  bits = 0;
  pool = 0;
  by: number = BY.RULE;
  step = 0;
  /** Of the last pick: the place of the client, see place.ts. */
  place = 0;
  readonly #places: Places | null;
  readonly #checked: CheckedAnswers | null;
  readonly #region: number;
  /** The last pick leaves out answers that are down: there are some, and not all are. */
  #hasDown = false;
  /** Of xorshift32; never zero. */
  readonly #random = Int32Array.of(randomInt(1, 2 ** 31));

  constructor({ places, checked, region }: SteeringState) {
    this.#places = places && new Places(places);
    this.#checked = checked && new CheckedAnswers(checked);
    this.#region = hashRegion(region);
  }

  /**
   * The number of the answer for the client with the address of `length` (4 or 16) bytes at
   * address[at]. `table`: offset of the steering table.
   */
  pick(bytes: Uint8Array, table: number, address: Uint8Array, at: number, length: number): number {
    this.#hasDown = this.#checked?.hasDown ?? false;
    this.#choosePool(bytes, table, this.#rulesFor(bytes, table, address, at, length));
    return this.#chooseAnswer(bytes, table);
  }

  /** The share of an answer of the last picked pool: its weight, or 0 if it is not chosen now. */
  weightOf(bytes: Uint8Array, table: number, answer: number): number {
    return this.#weightAt(bytes, table + uint16(bytes, table + ANSWERS_AT) + answer * ANSWER_ENTRY);
  }

  #weightAt(bytes: Uint8Array, entry: number): number {
    return this.#isDown(bytes, entry) ? 0 : uint16(bytes, entry);
  }

  /** The mask of the rules that match the client. */
  #rulesFor(bytes: Uint8Array, table: number, address: Uint8Array, at: number, length: number): number {
    this.bits = 0;
    this.place = 0;
    let mask = this.#regionMask(bytes, table);
    const needs = bytes[table + NEEDS_AT];
    if ((needs & NEEDS_NETWORK) !== 0)
      mask &= length === 4 ? this.#network4(bytes, table, address, at) : this.#network6(bytes, table, address, at);
    if ((needs & NEEDS_PLACE) !== 0) {
      const places = this.#places;
      const place = places === null ? 0 : places.find(address, at, length);
      if (places !== null && places.bits > this.bits) this.bits = places.bits;
      this.place = place;
      mask &= word(bytes, table + CONTINENTS_AT + 4 * continentOfPlace(place));
      mask &= this.#countryMask(bytes, table, place & COUNTRY_MASK);
    }
    return mask;
  }

  #regionMask(bytes: Uint8Array, table: number): number {
    const count = uint16(bytes, table + REGIONS_AT + 2);
    if (count === 0) return word(bytes, table + OTHER_REGION_AT);
    const list = table + uint16(bytes, table + REGIONS_AT);
    for (let i = 0, p = list; i < count; i++, p += REGION_ENTRY)
      if (word(bytes, p) === this.#region) return word(bytes, p + 4);
    return word(bytes, table + OTHER_REGION_AT);
  }

  #countryMask(bytes: Uint8Array, table: number, country: number): number {
    const list = table + uint16(bytes, table + COUNTRIES_AT);
    let from = 0;
    let to = uint16(bytes, table + COUNTRIES_AT + 2);
    while (from < to) {
      const middle = (from + to) >>> 1;
      const found = uint16(bytes, list + middle * COUNTRY_ENTRY);
      if (found === country) return word(bytes, list + middle * COUNTRY_ENTRY + 2);
      if (found < country) from = middle + 1;
      else to = middle;
    }
    return word(bytes, table + OTHER_COUNTRY_AT);
  }

  #network4(bytes: Uint8Array, table: number, address: Uint8Array, at: number): number {
    const list = table + uint16(bytes, table + NETWORKS4_AT);
    const count = uint16(bytes, table + NETWORKS4_AT + 2);
    const key = word(address, at);
    let from = 0;
    for (let to = count; to - from > 1; ) {
      const middle = (from + to) >>> 1;
      if ((word(bytes, list + middle * NETWORK4_ENTRY) ^ SIGN) <= (key ^ SIGN)) from = middle;
      else to = middle;
    }
    const entry = list + from * NETWORK4_ENTRY;
    let bits = 0;
    // A prefix of one more bit than the address shares with its neighbour excludes the neighbour.
    if (from > 0) bits = Math.clz32(key ^ (word(bytes, entry) - 1)) + 1;
    if (from + 1 < count) bits = Math.max(bits, Math.clz32(key ^ word(bytes, entry + NETWORK4_ENTRY)) + 1);
    if (bits > this.bits) this.bits = bits;
    return word(bytes, entry + 4);
  }

  #network6(bytes: Uint8Array, table: number, address: Uint8Array, at: number): number {
    const list = table + uint16(bytes, table + NETWORKS6_AT);
    const count = uint16(bytes, table + NETWORKS6_AT + 2);
    let from = 0;
    for (let to = count; to - from > 1; ) {
      const middle = (from + to) >>> 1;
      if (isAtMost(bytes, list + middle * NETWORK6_ENTRY, address, at)) from = middle;
      else to = middle;
    }
    const entry = list + from * NETWORK6_ENTRY;
    let bits = 0;
    if (from > 0) bits = commonWithBefore(bytes, entry, address, at) + 1;
    if (from + 1 < count) bits = Math.max(bits, commonBits(bytes, entry + NETWORK6_ENTRY, address, at) + 1);
    if (bits > this.bits) this.bits = bits;
    return word(bytes, entry + 16);
  }

  /** The first pool that is up: of the matching rules, then of the fall-back. */
  #choosePool(bytes: Uint8Array, table: number, mask: number): void {
    const rules = bytes[table];
    const fallbacks = bytes[table + FALLBACK_COUNT_AT];
    const list = table + STEERING_HEADER;
    for (let i = 0; i < rules; i++)
      if (((mask >>> i) & 1) !== 0 && this.#isPoolUp(bytes, table, bytes[list + i])) {
        this.#setPool(bytes[list + i], BY.RULE, i);
        return;
      }
    for (let i = 0; i < fallbacks; i++)
      if (this.#isPoolUp(bytes, table, bytes[list + rules + i])) {
        this.#setPool(bytes[list + rules + i], BY.FALLBACK, i);
        return;
      }
    // All are down: the first one that has answers, as if none were checked.
    this.#hasDown = false;
    this.#setPool(bytes[list + rules], BY.ALL_DOWN, rules);
    for (let i = 0; i < rules + fallbacks; i++)
      if ((i >= rules || ((mask >>> i) & 1) !== 0) && this.#isPoolUp(bytes, table, bytes[list + i])) {
        this.#setPool(bytes[list + i], BY.ALL_DOWN, i);
        return;
      }
  }

  #setPool(pool: number, by: number, step: number): void {
    this.pool = pool;
    this.by = by;
    this.step = step;
  }

  #isPoolUp(bytes: Uint8Array, table: number, pool: number): boolean {
    const span = spanOf(bytes, table, pool);
    const count = bytes[span + 1];
    let entry = table + uint16(bytes, table + ANSWERS_AT) + bytes[span] * ANSWER_ENTRY;
    for (let i = 0; i < count; i++, entry += ANSWER_ENTRY)
      if (uint16(bytes, entry) > 0 && !this.#isDown(bytes, entry)) return true;
    return false;
  }

  #isDown(bytes: Uint8Array, entry: number): boolean {
    return this.#hasDown && (this.#checked?.isDown(bytes, entry + CHECK_AT) ?? false);
  }

  /** One of the answers of the pool that are up, by weight. */
  #chooseAnswer(bytes: Uint8Array, table: number): number {
    const span = spanOf(bytes, table, this.pool);
    const first = bytes[span];
    const count = bytes[span + 1];
    if (count === 1) return first;
    const entries = table + uint16(bytes, table + ANSWERS_AT) + first * ANSWER_ENTRY;
    let sum = this.#sumOfWeights(bytes, entries, count);
    if (sum === 0) {
      // The last of them has failed since the pool was chosen.
      this.#hasDown = false;
      sum = this.#sumOfWeights(bytes, entries, count);
    }
    let rest = this.#nextRandom() % sum;
    for (let i = 0, entry = entries; i < count; i++, entry += ANSWER_ENTRY) {
      rest -= this.#weightAt(bytes, entry);
      if (rest < 0) return first + i;
    }
    return first;
  }

  #sumOfWeights(bytes: Uint8Array, entries: number, count: number): number {
    let sum = 0;
    for (let i = 0, entry = entries; i < count; i++, entry += ANSWER_ENTRY) sum += this.#weightAt(bytes, entry);
    return sum;
  }

  /** From 0 to 2^31 - 1. */
  #nextRandom(): number {
    const state = this.#random;
    let x = state[0];
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    state[0] = x;
    return x & 0x7fffffff;
  }
}

const SIGN = 0x80000000;

/** Offset of the first answer and the number of answers of a pool. */
const spanOf = (bytes: Uint8Array, table: number, pool: number): number =>
  table + STEERING_HEADER + bytes[table] + bytes[table + FALLBACK_COUNT_AT] + 2 * pool;

/** Offset of the stored answer of an answer's entry. */
export const variantOffset = (bytes: Uint8Array, table: number, answer: number): number =>
  table + word(bytes, table + uint16(bytes, table + ANSWERS_AT) + answer * ANSWER_ENTRY + VARIANT_AT);

const uint16 = (bytes: Uint8Array, at: number): number => (bytes[at] << 8) | bytes[at + 1];

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

function isAtMost(bytes: Uint8Array, from: number, address: Uint8Array, at: number): boolean {
  for (let i = 0; i < 16; i++) {
    const difference = bytes[from + i] - address[at + i];
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** The leading bits that two IPv6 addresses have in common. */
function commonBits(bytes: Uint8Array, from: number, address: Uint8Array, at: number): number {
  for (let i = 0; i < 16; i++) {
    const difference = bytes[from + i] ^ address[at + i];
    if (difference !== 0) return 8 * i + Math.clz32(difference) - 24;
  }
  return 128;
}

/** The same with the address before the one at bytes[from], which is not ::. */
function commonWithBefore(bytes: Uint8Array, from: number, address: Uint8Array, at: number): number {
  let last = 15;
  while (bytes[from + last] === 0) last--;
  for (let i = 0; i < 16; i++) {
    const before = i < last ? bytes[from + i] : i === last ? bytes[from + i] - 1 : 0xff;
    const difference = before ^ address[at + i];
    if (difference !== 0) return 8 * i + Math.clz32(difference) - 24;
  }
  return 128;
}
