/**
 * Large stored answers at the end of a chain: their size, which is known before they are decoded,
 * and how they are copied behind the chain.
 */

import type { Body } from '../../dns/wire/body.ts';
import type { Name } from '../../dns/wire/name.ts';
import { COMPRESSIBLE, isServiceBinding, TYPE } from '../../dns/wire/types.ts';
import {
  ANCOUNT_AT,
  ARCOUNT_AT,
  BODY_LENGTH_AT,
  bodyOffset,
  DROP_ARCOUNT_AT,
  DROP_COUNT_AT,
  DROP_ENTRY,
  NSCOUNT_AT,
  SIGNATURES_LENGTH_AT,
  SIGNED_ANCOUNT_AT,
  SIGNED_ARCOUNT_AT,
  SIGNED_NSCOUNT_AT,
  signedOffset,
  TAIL_LENGTH_AT,
  uint16,
} from '../../store/answers.ts';
import { joinSigned } from '../../store/expand-answer.ts';
import type { IndexReader } from './index-reader.ts';
import { RecordCopier } from './record-copier.ts';

/** Stored answers with more bytes are copied. */
const LARGE = 4096;
/** Bytes by which names of a stored answer may shrink in another message, at most. */
export const SHRINKING = 512;
/** Bytes of a record with pointers for all names. */
const LEAST_RECORD = 14;

export interface StoredAnswer {
  /** Its offset in the arena. */
  readonly a: number;
  /** Of what it answers; NS for a referral. */
  readonly type: number;
  /** The name that it was compiled for, and the one that a pointer to the whole question means. */
  readonly source: Name;
  readonly owner: Name;
  /** It is sent with its signatures. */
  readonly isSigned: boolean;
}

/** Bytes with all additional records. */
function wholeSize(nodes: Uint8Array, { a, isSigned }: Pick<StoredAnswer, 'a' | 'isSigned'>): number {
  if (!isSigned) return uint16(nodes, a + BODY_LENGTH_AT);
  const part = signedOffset(nodes, a);
  return mainSignedSize(nodes, part) + uint16(nodes, part + TAIL_LENGTH_AT);
}

const mainSignedSize = (nodes: Uint8Array, part: number): number =>
  uint16(nodes, part) + uint16(nodes, part + SIGNATURES_LENGTH_AT);

/** Bytes without the additional records that may be left out. */
function requiredSize(nodes: Uint8Array, { a, isSigned }: Pick<StoredAnswer, 'a' | 'isSigned'>): number {
  const drops = isSigned ? 0 : uint16(nodes, a + DROP_COUNT_AT);
  return drops === 0 ? wholeSize(nodes, { a, isSigned }) : uint16(nodes, bodyOffset(nodes, a) - DROP_ENTRY);
}

/** Whether an answer is copied. `room`: bytes that the response has. */
export function isLarge(nodes: Uint8Array, answer: StoredAnswer, room: number): boolean {
  // Additional records are copied if there is room for them; those of services depend on the chain.
  const isWhole = room > LARGE && !isServiceBinding(answer.type);
  return (isWhole ? wholeSize(nodes, answer) : requiredSize(nodes, answer)) > LARGE;
}

/**
 * A lower bound of the bytes that an answer takes in answer and authority section, and with glue.
 * Names of its data can become pointers, but hardly more than half of a large answer.
 */
export function leastSize(nodes: Uint8Array, answer: Pick<StoredAnswer, 'a' | 'type' | 'isSigned'>): number {
  const { a, type, isSigned } = answer;
  const required = requiredSize(nodes, answer);
  if (!COMPRESSIBLE.has(type)) return required;
  const signatures = isSigned ? uint16(nodes, signedOffset(nodes, a) + SIGNATURES_LENGTH_AT) : 0;
  const records = uint16(nodes, a + ANCOUNT_AT) + uint16(nodes, a + NSCOUNT_AT);
  return Math.max(((required - signatures) >>> 1) - SHRINKING / 2, records * LEAST_RECORD) + signatures;
}

export class LargeAnswerCopier {
  /** Records of the copied answer. */
  ancount = 0;
  nscount = 0;
  arcount = 0;
  readonly #index: IndexReader;
  readonly #copier = new RecordCopier();
  #answer!: StoredAnswer;

  constructor(index: IndexReader) {
    this.#index = index;
  }

  /**
   * Copies answer and authority section to out[at], behind `body`, in a message that starts at
   * out[start]. Returns the offset after them, or NO_ROOM.
   */
  copyMain(answer: StoredAnswer, body: Body, out: Uint8Array, start: number, at: number, end: number): number {
    const { a, type, source, owner, isSigned } = answer;
    const { bytes: nodes, view } = this.#index;
    const copier = this.#copier;
    const part = isSigned ? signedOffset(nodes, a) : 0;
    this.#answer = answer;
    this.ancount = uint16(nodes, isSigned ? part + SIGNED_ANCOUNT_AT : a + ANCOUNT_AT);
    this.nscount = uint16(nodes, isSigned ? part + SIGNED_NSCOUNT_AT : a + NSCOUNT_AT);
    this.arcount = 0;
    if (isSigned) {
      const joined = joinSigned(nodes, a);
      const joinedView = new DataView(joined.buffer, joined.byteOffset, joined.length);
      copier.begin({ bytes: joined, view: joinedView, from: 0, source, owner }, out, start, at, body);
    } else copier.begin({ bytes: nodes, view, from: bodyOffset(nodes, a), source, owner }, out, start, at, body);
    // All records are of the owner, and none has names that are compressed.
    if (type !== TYPE.NS && !COMPRESSIBLE.has(type) && copier.hasOwner)
      return copier.copyPlain(isSigned ? mainSignedSize(nodes, part) : requiredSize(nodes, answer), at, end);
    return copier.copy(this.ancount + this.nscount, at, end);
  }

  /**
   * Copies additional records to the offset `at` of the buffer: whole RRsets as far as they fit, or
   * all glue. Returns the offset after them, or NO_ROOM.
   */
  copyAdditional(at: number, end: number): number {
    this.arcount = this.#countAdditional(end - at);
    this.#copier.resumeAt(at);
    return this.#copier.copy(this.arcount, at, end);
  }

  #countAdditional(room: number): number {
    const { bytes: nodes } = this.#index;
    const { a, isSigned } = this.#answer;
    if (isSigned) return uint16(nodes, signedOffset(nodes, a) + SIGNED_ARCOUNT_AT);
    const required = requiredSize(nodes, this.#answer);
    const drops = uint16(nodes, a + DROP_COUNT_AT);
    let length = uint16(nodes, a + BODY_LENGTH_AT);
    let count = uint16(nodes, a + ARCOUNT_AT);
    let drop = bodyOffset(nodes, a) - drops * DROP_ENTRY;
    for (let i = 0; i < drops && length - required > room; i++, drop += DROP_ENTRY) {
      length = uint16(nodes, drop);
      count = uint16(nodes, drop + DROP_ARCOUNT_AT);
    }
    return count;
  }
}
