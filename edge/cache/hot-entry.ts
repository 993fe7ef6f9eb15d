/**
 * A stored response prepared for visitors, attached to the stored variant. An entry holds the
 * fields that visitors receive, and one prebuilt answer per coding. An answer contains the age, so
 * it is rebuilt when the age changes. bench/edge/proxy-path.ts measures a hit.
 */
import { CODINGS_KEPT, type Coding, compressAtOnce, SHORT } from '../compress/coding.ts';
import { forbidsTransform, isCompressible } from '../compress/compressible.ts';
import { codedFields, varyingFields } from '../compress/fields.ts';
import { negotiate } from '../compress/negotiate.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import type { Site } from '../sites/site.ts';
import { earlyHintFields } from './early-hints.ts';
import { cacheStatus } from './rules/cache-status.ts';
import { ageInSeconds, type Facts, factsOf } from './rules/facts.ts';
import { fieldValue, withoutFields } from './rules/fields.ts';
import { formatHttpDate } from './rules/http-date.ts';
import type { StoredCoding, StoredVariant } from './store/cache-store.ts';
import type { StoredResponse } from './stored-response.ts';

/** Approximate bytes of an entry without its bodies. */
const OVERHEAD_BYTES = 1500;
/** Left out of the stored fields: the engine adds Date, and Age changes each second. */
const TIME_DEPENDENT: ReadonlySet<string> = new Set(['age', 'date']);

export const CODINGS: readonly (Coding | 'identity')[] = ['identity', ...CODINGS_KEPT];

/** The index in CODINGS of the coding that the visitor prefers; 0: identity. */
export function codingFor(headers: FieldList): number {
  const coding = negotiate(fieldValue(headers, 'accept-encoding'), CODINGS_KEPT);
  return coding === 'identity' || forbidsTransform(headers) ? 0 : CODINGS.indexOf(coding);
}

/** A body and the fields that describe its coding, without its length. */
interface EncodedBody {
  readonly fields: FieldList;
  readonly body: Uint8Array;
}

export class HotEntry {
  readonly facts: Facts;
  /** Whether visitors that accept a coding receive the body in it. */
  readonly isCompressible: boolean;
  /** Codings in which compression was tried or is in progress. */
  readonly triedCodings = new Set<StoredCoding>();
  bytes = OVERHEAD_BYTES;
  hits = 0;
  readonly #variant: StoredVariant;
  readonly #date: string;
  readonly #fields: FieldList;
  readonly #name: string;
  #earlyHints: FieldList | undefined;
  #age = -1;
  readonly #ready: (ReadyAnswer | null)[] = CODINGS.map(() => null);
  /** Bodies compressed during a request, until the background compression replaces them. */
  readonly #quickEncodings = new Map<Coding, Uint8Array>();

  /**
   * `fields`: the response's fields as visitors of `site` receive them. `minBytes`: smaller bodies
   * are not compressed; infinite: none is.
   */
  constructor(
    variant: StoredVariant,
    readonly site: Site,
    fields: FieldList,
    name: string,
    minBytes: number,
  ) {
    const { response } = variant;
    this.#variant = variant;
    this.#name = name;
    this.facts = factsOf(response, site.heuristics);
    this.#date = formatHttpDate(this.facts.date);
    this.isCompressible = isCompressible(response.status, response.headers, response.body.length, minBytes);
    const plain = withoutFields(fields, TIME_DEPENDENT);
    // Vary belongs to 206 and 304, too (RFC 9110 sections 15.3.7 and 15.4.5).
    this.#fields = this.isCompressible ? varyingFields(plain) : plain;
    for (let i = 0; i < fields.length; i++) this.bytes += fields[i].length * 2;
  }

  /** The fields of a 103 response. Empty: the page has no links to preload. */
  get earlyHints(): FieldList {
    this.#earlyHints ??= earlyHintFields(this.#fields);
    return this.#earlyHints;
  }

  get response(): StoredResponse {
    return this.#variant.response;
  }

  /**
   * Fields of a hit, without date, length and coding. `status`: this cache's Cache-Status member.
   */
  fieldsAt(now: number, status: string): string[] {
    return [...this.#fields, 'age', String(ageInSeconds(this.facts, now)), 'cache-status', status];
  }

  get date(): string {
    return this.#date;
  }

  /** Depends on the age in whole seconds, so it changes together with the Age field. */
  hitStatus(now: number): string {
    const { freshUntil, bornAt } = this.facts;
    const ttl = Math.floor((freshUntil - bornAt) / 1000) - ageInSeconds(this.facts, now);
    return cacheStatus({ name: this.#name, ttl });
  }

  /** The whole answer in a coding, by its index in CODINGS. Only for a body in memory. */
  readyAnswer(coding: number, now: number): ReadyAnswer {
    const age = ageInSeconds(this.facts, now);
    if (age !== this.#age) {
      this.#age = age;
      this.#ready.fill(null);
    }
    return this.#ready[coding] ?? this.#buildAnswer(coding, now);
  }

  #buildAnswer(index: number, now: number): ReadyAnswer {
    const { fields, body } = this.encodeBody(this.fieldsAt(now, this.hitStatus(now)), index);
    const ready = new ReadyAnswer(this.response.status, fields, body, this.#date);
    this.#ready[index] = ready;
    return ready;
  }

  /**
   * The body in a coding, by its index in CODINGS; as stored where that coding is not available or
   * not smaller. Only for a body in memory.
   */
  encodeBody(fields: FieldList, index: number): EncodedBody {
    const whole = this.response.body.whole as Uint8Array;
    if (!this.isCompressible) return { fields, body: whole };
    const coding = CODINGS[index];
    const encoded = coding === 'identity' ? undefined : this.#encodingOf(coding, whole);
    if (encoded === undefined || coding === 'identity') return { fields, body: whole };
    return { fields: codedFields(fields, coding), body: encoded };
  }

  /**
   * Whether `encodeBody` returns the best form for this coding. False: the body should be
   * compressed while it is sent.
   */
  hasEncoding(index: number): boolean {
    const whole = this.response.body.whole;
    if (index === 0 || !this.isCompressible || whole === undefined || whole.length <= SHORT) return true;
    const coding = CODINGS[index] as Coding;
    return this.#variant.encoding(coding) !== undefined || this.#quickEncodings.has(coding);
  }

  /** Records that this coding does not make the body smaller. */
  markIncompressible(coding: StoredCoding): void {
    this.#quickEncodings.set(coding, NOTHING);
  }

  /** Undefined: not available in this coding, or not yet. */
  #encodingOf(coding: Coding, whole: Uint8Array): Uint8Array | undefined {
    const stored = this.#variant.encoding(coding) ?? this.#quickEncodings.get(coding);
    if (stored !== undefined) return stored.length === 0 ? undefined : stored;
    if (whole.length > SHORT) return undefined;
    const encoded = compressAtOnce(whole, coding);
    const isSmaller = encoded.length < whole.length;
    this.#quickEncodings.set(coding, isSmaller ? encoded : NOTHING);
    this.bytes += encoded.length;
    return isSmaller ? encoded : undefined;
  }
}

const NOTHING = new Uint8Array(0);
