/**
 * What is made of a stored response for its visitors and stays with it: the fields as they get them, and whole answers, one for each coding, which
 * are made anew when its age grows by a second. A hit that finds one costs a look-up and a few comparisons (bench/edge/proxy-path.ts has the figures).
 */
import { CODINGS_KEPT, type Coding, compressAtOnce, SHORT } from '../compress/coding.ts';
import { forbidsTransform, isCompressible } from '../compress/compressible.ts';
import { codedFields, varyingFields } from '../compress/fields.ts';
import { negotiate } from '../compress/negotiate.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import type { Site } from '../sites/site.ts';
import { cacheStatus } from './rules/cache-status.ts';
import { ageInSeconds, type Facts, factsOf } from './rules/facts.ts';
import { fieldValue, withoutFields } from './rules/fields.ts';
import { formatHttpDate } from './rules/http-date.ts';
import type { StoredCoding, StoredVariant } from './store/cache-store.ts';
import type { StoredResponse } from './stored-response.ts';

/** How many bytes an entry takes beside its bodies, roughly. */
const OVERHEAD = 1500;
/** Said by the engine, or made anew for each second. */
const NOT_KEPT: ReadonlySet<string> = new Set(['age', 'date']);

export const CODINGS: readonly (Coding | 'identity')[] = ['identity', ...CODINGS_KEPT];

/** The index in CODINGS of what a visitor would have; 0 without any. */
export function codingFor(headers: FieldList): number {
  const coding = negotiate(fieldValue(headers, 'accept-encoding'), CODINGS_KEPT);
  return coding === 'identity' || forbidsTransform(headers) ? 0 : CODINGS.indexOf(coding);
}

/** What goes out: fields that say how the body is coded, without its length. */
export interface CodedWhole {
  readonly fields: FieldList;
  readonly body: Uint8Array;
}

export class HotEntry {
  readonly facts: Facts;
  /** Whether visitors who take a coding get one. */
  readonly isCoded: boolean;
  /** In which coding it is not worth it, or is being made well. */
  readonly settled = new Set<StoredCoding>();
  bytes = OVERHEAD;
  hits = 0;
  readonly #variant: StoredVariant;
  readonly #date: string;
  readonly #plain: FieldList;
  readonly #name: string;
  #age = -1;
  readonly #ready: (ReadyAnswer | null)[] = CODINGS.map(() => null);
  /** Codings of a body that was coded at once, for want of one that was made well. */
  readonly #atOnce = new Map<Coding, Uint8Array>();

  /** `site`: as `fields`, made of the response's for it, were made. `least`: bytes of what is coded at all; infinite: nothing is. */
  constructor(
    variant: StoredVariant,
    readonly site: Site,
    fields: FieldList,
    name: string,
    least: number,
  ) {
    const { response } = variant;
    this.#variant = variant;
    this.#name = name;
    this.facts = factsOf(response, site.heuristicFreshness);
    this.#date = formatHttpDate(this.facts.date);
    this.isCoded = isCompressible(response.status, response.headers, response.body.length, least);
    const plain = withoutFields(fields, NOT_KEPT);
    // Said of parts and of 304, too (RFC 9110 sections 15.3.7 and 15.4.5).
    this.#plain = this.isCoded ? varyingFields(plain) : plain;
    for (let i = 0; i < fields.length; i++) this.bytes += fields[i].length * 2;
  }

  get response(): StoredResponse {
    return this.#variant.response;
  }

  /** Fields of a hit, without date, length and coding; the member of Cache-Status is the caller's. */
  fieldsAt(now: number, status: string): string[] {
    return [...this.#plain, 'age', String(ageInSeconds(this.facts, now)), 'cache-status', status];
  }

  get date(): string {
    return this.#date;
  }

  /** By the age that is told: both change at once. */
  hitStatus(now: number): string {
    const { freshUntil, bornAt } = this.facts;
    const ttl = Math.floor((freshUntil - bornAt) / 1000) - ageInSeconds(this.facts, now);
    return cacheStatus({ name: this.#name, ttl });
  }

  /** The whole answer in a coding, by its index in CODINGS. Only for a body that is in memory. */
  answer(coding: number, now: number): ReadyAnswer {
    const age = ageInSeconds(this.facts, now);
    if (age !== this.#age) {
      this.#age = age;
      this.#ready.fill(null);
    }
    return this.#ready[coding] ?? this.#make(coding, now);
  }

  #make(index: number, now: number): ReadyAnswer {
    const { fields, body } = this.codedWhole(this.fieldsAt(now, this.hitStatus(now)), index);
    const ready = new ReadyAnswer(this.response.status, fields, body, this.#date);
    this.#ready[index] = ready;
    return ready;
  }

  /** The whole in a coding, by its index; as it is where that is not to be had, or not worth it. Only for a body that is in memory. */
  codedWhole(fields: FieldList, index: number): CodedWhole {
    const whole = this.response.body.whole as Uint8Array;
    if (!this.isCoded) return { fields, body: whole };
    const coding = CODINGS[index];
    const coded = coding === 'identity' ? undefined : this.#coded(coding, whole);
    if (coded === undefined || coding === 'identity') return { fields, body: whole };
    return { fields: codedFields(fields, coding), body: coded };
  }

  /** Whether `codedWhole` gives what a visitor should get; else it gives the whole as it is, though it could be coded as it goes out. */
  isReady(index: number): boolean {
    const whole = this.response.body.whole;
    if (index === 0 || !this.isCoded || whole === undefined || whole.length <= SHORT) return true;
    const coding = CODINGS[index] as Coding;
    return this.#variant.encoding(coding) !== undefined || this.#atOnce.has(coding);
  }

  /** It does not get smaller in this coding. */
  leaveAsItIs(coding: StoredCoding): void {
    this.#atOnce.set(coding, NOTHING);
  }

  /** Undefined: not in this coding, or not yet. */
  #coded(coding: Coding, whole: Uint8Array): Uint8Array | undefined {
    const kept = this.#variant.encoding(coding) ?? this.#atOnce.get(coding);
    if (kept !== undefined) return kept.length === 0 ? undefined : kept;
    if (whole.length > SHORT) return undefined;
    const made = compressAtOnce(whole, coding);
    const isWorth = made.length < whole.length;
    this.#atOnce.set(coding, isWorth ? made : NOTHING);
    this.bytes += made.length;
    return isWorth ? made : undefined;
  }
}

const NOTHING = new Uint8Array(0);
