/**
 * Writes a response over its query. The question is not moved, so only three parts are written:
 * flags and counts of the header, the compiled body after the question, and OPT. Nothing is
 * allocated per packet.
 */

import { EXTENDED_ERROR } from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, QR, TC } from '../../dns/wire/header.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import {
  ANCOUNT_AT,
  ANSWER_AA,
  ANSWER_FLAGS_AT,
  ANSWER_HEADER,
  ANSWER_NEGATIVE,
  ANSWER_SIGNED,
  ANSWER_SOA,
  ANSWER_STALE,
  APEX_LENGTH_AT,
  ARCOUNT_AT,
  answerOffset,
  BODY_LENGTH_AT,
  bodyOffset,
  DROP_ARCOUNT_AT,
  DROP_COUNT_AT,
  DROP_ENTRY,
  HASH_LENGTH,
  isProven,
  MOVE_COUNT_AT,
  MOVE_ENTRY,
  NAME_LENGTH_AT,
  NODE_APEX,
  NODE_FLAGS_AT,
  NODE_PRESIGNED,
  NSCOUNT_AT,
  OTHERWISE,
  PROOF_COUNT_AT,
  proofsOffset,
  SIGNATURES_LENGTH_AT,
  SIGNED_ANCOUNT_AT,
  SIGNED_ARCOUNT_AT,
  SIGNED_HEADER,
  SIGNED_MOVES_AT,
  SIGNED_NSCOUNT_AT,
  signaturesOffset,
  signedOffset,
  TAIL_LENGTH_AT,
  uint16,
} from '../../store/answers.ts';
import { APEX_PROVEN } from '../../store/index/denial-layout.ts';
import { copyBytes } from './copy-bytes.ts';
import { CHANGED, type Denial, NO_ROOM, PROOF, TOO_COSTLY } from './denial.ts';
import type { IndexReader } from './index-reader.ts';
import { NO_ERROR, type ResponseOptions } from './options.ts';
import { CLAIM } from './presigned-denial.ts';
import type { Query } from './query.ts';

export class ResponseWriter {
  /** The buffer with the query. */
  bytes: Uint8Array = new Uint8Array(0);
  /** The same, for copying. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** The maximum bytes of the response. */
  limit = 0;
  readonly options: ResponseOptions;
  readonly #index: IndexReader;
  readonly #query: Query;
  readonly #denial: Denial;
  /** Of the zone that proofs are of: where its name is, its hash sum, its directory, its node. */
  #apexAt = 0;
  #apexSum = 0;
  #directory = 0;
  #apex = 0;
  #isProven = false;

  constructor(index: IndexReader, query: Query, options: ResponseOptions, denial: Denial) {
    this.#index = index;
    this.#query = query;
    this.options = options;
    this.#denial = denial;
  }

  /** Sets the buffer, which is usually the one of the previous query. */
  setBuffer(bytes: Uint8Array): void {
    if (bytes === this.bytes) return;
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Writes a response without records, with an optional extended error (of EXTENDED_ERROR). */
  writeEmpty(rcode: number, error = NO_ERROR): number {
    const { bytes } = this;
    const query = this.#query;
    this.options.error = error;
    query.rcode = rcode;
    const start = query.start;
    const p = query.questionEnd === 0 ? start + HEADER_LENGTH : query.questionEnd;
    bytes[start + 2] = QR | (bytes[start + 2] & 0x79);
    bytes[start + 3] = rcode & 15;
    bytes[start + 4] = 0;
    bytes[start + 5] = query.questionEnd === 0 ? 0 : 1;
    for (let i = 6; i < HEADER_LENGTH; i++) bytes[start + i] = 0;
    return this.finish(p, 0, rcode >>> 4);
  }

  /**
   * Writes one record after the question, with its owner and class. Null: NODATA without an SOA,
   * which class CHAOS does not have.
   */
  writeRecord(record: Uint8Array | null): number {
    const { bytes } = this;
    const query = this.#query;
    const { start } = query;
    query.rcode = RCODE.NOERROR;
    bytes[start + 2] = QR | (bytes[start + 2] & 0x01) | ANSWER_AA;
    for (let i = 3; i < HEADER_LENGTH; i++) bytes[start + i] = 0;
    bytes[start + 5] = 1;
    let p = query.questionEnd;
    if (record !== null) {
      bytes[start + 7] = 1;
      for (let i = 0; i < record.length; i++) bytes[p++] = record[i];
    }
    return this.finish(p, 0, 0);
  }

  /** Writes NODATA or NXDOMAIN with the SOA of the node's zone (RFC 2308). */
  writeNegative(node: number, rcode: number): number {
    const nodes = this.#index.bytes;
    const isProvable = !this.#denial.isEmpty;
    const apex = isProvable ? this.#findZone(node) : this.#findApex(node);
    if (apex === 0) return this.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NOT_READY);
    const a = answerOffset(nodes, apex, OTHERWISE);
    if (isProvable && (nodes[a + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0)
      return this.#writeSigned(apex, a, signedOffset(nodes, a), rcode);
    return this.writeAnswer(apex, a, rcode);
  }

  /**
   * The number of bytes of the answer at `a`, which has no SOA and no signatures, for which there
   * is no room; zero or less: all fits.
   */
  excess(a: number): number {
    const { start, questionEnd } = this.#query;
    return uint16(this.#index.bytes, a + BODY_LENGTH_AT) - (this.limit - (questionEnd - start) - this.options.length);
  }

  /**
   * Writes the answer at `a` of a node. The node's name is the queried name, a wildcard that
   * matches it, or a suffix of it. `rcode` is used if the answer's own code is NOERROR.
   * `isMinimal`: without additional records.
   */
  writeAnswer(node: number, a: number, rcode: number, isMinimal = false): number {
    const query = this.#query;
    const index = this.#index;
    const nodes = index.bytes;
    const { start, questionEnd } = query;
    const flags = nodes[a + ANSWER_FLAGS_AT];
    if (query.dnssecOk && (flags & ANSWER_SIGNED) !== 0) {
      const part = signedOffset(nodes, a);
      this.#addProofs(node, part);
      if (!this.#denial.isEmpty) this.#findZone(node);
      return this.#writeSigned(node, a, part, rcode);
    }
    let ancount = (nodes[a + ANCOUNT_AT] << 8) | nodes[a + ANCOUNT_AT + 1];
    let nscount = (nodes[a + NSCOUNT_AT] << 8) | nodes[a + NSCOUNT_AT + 1];
    let arcount = (nodes[a + ARCOUNT_AT] << 8) | nodes[a + ARCOUNT_AT + 1];
    let length = (nodes[a + BODY_LENGTH_AT] << 8) | nodes[a + BODY_LENGTH_AT + 1];
    const moves = (nodes[a + MOVE_COUNT_AT] << 8) | nodes[a + MOVE_COUNT_AT + 1];
    const drops = (nodes[a + DROP_COUNT_AT] << 8) | nodes[a + DROP_COUNT_AT + 1];
    const moveAt = a + ANSWER_HEADER;
    const dropAt = moveAt + moves * MOVE_ENTRY;
    const body = dropAt + drops * DROP_ENTRY;
    // Only the apex stores the SOA. After a chain, it is copied from there.
    let apex = 0;
    let soa = 0;
    let soaLength = 0;
    if ((flags & (ANSWER_NEGATIVE | ANSWER_SOA)) !== 0) {
      apex = this.#findApex(node);
      soa = apex === 0 ? 0 : answerOffset(this.#index.bytes, apex, (flags & ANSWER_SOA) !== 0 ? TYPE.SOA : OTHERWISE);
      if (soa === 0) return this.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NOT_READY);
      soaLength = (nodes[soa + BODY_LENGTH_AT] << 8) | nodes[soa + BODY_LENGTH_AT + 1];
    }
    const nameLength = query.nameEnd - start - HEADER_LENGTH;
    const room = this.limit - (questionEnd - start) - soaLength - this.options.length;
    if (isMinimal && drops > 0) {
      const last = dropAt + (drops - 1) * DROP_ENTRY;
      length = (nodes[last] << 8) | nodes[last + 1];
      arcount = 0;
    }
    for (let i = 0, d = dropAt; length > room && i < drops; i++, d += DROP_ENTRY) {
      length = (nodes[d] << 8) | nodes[d + 1];
      arcount = (nodes[d + DROP_ARCOUNT_AT] << 8) | nodes[d + DROP_ARCOUNT_AT + 1];
    }
    let p = questionEnd;
    let truncated = 0;
    if (length > room) {
      truncated = TC;
      ancount = 0;
      nscount = 0;
      arcount = 0;
    } else {
      p = this.#copyBody(body, length, moveAt, moves, nameLength - nodes[node + NAME_LENGTH_AT], p);
      if (soa !== 0) {
        const soaMoves = (nodes[soa + MOVE_COUNT_AT] << 8) | nodes[soa + MOVE_COUNT_AT + 1];
        const soaMoveAt = soa + ANSWER_HEADER;
        p = this.#copyBody(
          soaMoveAt + soaMoves * MOVE_ENTRY,
          soaLength,
          soaMoveAt,
          soaMoves,
          nameLength - nodes[apex + NAME_LENGTH_AT],
          p,
        );
        if ((flags & ANSWER_SOA) !== 0) ancount++;
        else nscount++;
      }
    }
    const code = nodes[a] === RCODE.NOERROR ? rcode : nodes[a];
    return this.finishAnswer(p, code, flags, truncated, ancount, nscount, arcount);
  }

  /** Writes the header and OPT of an answer that ends at `p`. Returns the response's length. */
  finishAnswer(
    p: number,
    code: number,
    flags: number,
    truncated: number,
    ancount: number,
    nscount: number,
    arcount: number,
  ): number {
    const { bytes } = this;
    const query = this.#query;
    const { start } = query;
    if (code === RCODE.SERVFAIL) this.options.error = EXTENDED_ERROR.NO_REACHABLE_AUTHORITY;
    else if ((flags & ANSWER_STALE) !== 0) this.options.error = EXTENDED_ERROR.STALE_ANSWER;
    query.rcode = code;
    bytes[start + 2] = QR | (bytes[start + 2] & 0x01) | (flags & ANSWER_AA) | truncated;
    bytes[start + 3] = code;
    bytes[start + 6] = ancount >>> 8;
    bytes[start + 7] = ancount;
    bytes[start + 8] = nscount >>> 8;
    bytes[start + 9] = nscount;
    bytes[start + 10] = arcount >>> 8;
    bytes[start + 11] = arcount;
    return this.finish(p, arcount, 0);
  }

  /**
   * Writes an answer with its signatures and proofs, and without additional records that are no
   * glue (RFC 4035 section 3.1). store/answers.ts describes the parts; `part` is the signed one.
   * With proofs, the zone was found before. Returns the response's length, or CHANGED.
   */
  #writeSigned(node: number, a: number, part: number, rcode: number): number {
    const query = this.#query;
    const nodes = this.#index.bytes;
    const denial = this.#denial;
    const { start, questionEnd } = query;
    const flags = nodes[a + ANSWER_FLAGS_AT];
    const code = nodes[a] === RCODE.NOERROR ? rcode : nodes[a];
    // The signatures of an RRset that does not fit are for transfers.
    if (code === RCODE.SERVFAIL) return this.finishAnswer(questionEnd, code, flags, 0, 0, 0, 0);
    const by = query.nameEnd - start - HEADER_LENGTH - nodes[node + NAME_LENGTH_AT];
    const limit = start + this.limit - this.options.length;
    const tail = uint16(nodes, part + TAIL_LENGTH_AT);
    const isWithSoa = (flags & (ANSWER_NEGATIVE | ANSWER_SOA)) !== 0;
    let ancount = uint16(nodes, part + SIGNED_ANCOUNT_AT);
    let nscount = uint16(nodes, part + SIGNED_NSCOUNT_AT);
    let p = this.#appendSigned(a, part, by, questionEnd, limit);
    if (p !== NO_ROOM && isWithSoa) {
      const apex = denial.isEmpty ? this.#findApex(node) : this.#apex;
      const soa = apex === 0 ? 0 : answerOffset(nodes, apex, (flags & ANSWER_SOA) !== 0 ? TYPE.SOA : OTHERWISE);
      if (soa === 0) return this.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NOT_READY);
      const soaBy = query.nameEnd - start - HEADER_LENGTH - nodes[apex + NAME_LENGTH_AT];
      if ((nodes[soa + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0) {
        const soaPart = signedOffset(nodes, soa);
        ancount += uint16(nodes, soaPart + SIGNED_ANCOUNT_AT);
        nscount += uint16(nodes, soaPart + SIGNED_NSCOUNT_AT);
        p = this.#appendSigned(soa, soaPart, soaBy, p, limit);
      } else {
        ancount += uint16(nodes, soa + ANCOUNT_AT);
        nscount += uint16(nodes, soa + NSCOUNT_AT);
        p = this.#appendPlain(soa, soaBy, p, limit);
      }
    }
    if (p !== NO_ROOM && !denial.isEmpty && this.#isProven) {
      p = this.#appendProofs(p, limit - tail);
      if (p === CHANGED) return CHANGED;
      if (p === TOO_COSTLY) return this.writeEmpty(RCODE.SERVFAIL, denial.costError);
      nscount += denial.records;
    }
    if (p === NO_ROOM || p + tail > limit) return this.finishAnswer(questionEnd, code, flags, TC, 0, 0, 0);
    if (tail > 0) p = this.#appendTail(part, tail, by, p);
    return this.finishAnswer(p, code, flags, 0, ancount, nscount, uint16(nodes, part + SIGNED_ARCOUNT_AT));
  }

  /**
   * Writes the signatures of the answer at `a` without what they sign, and proofs. For a query for
   * RRSIG. Returns the response's length, or CHANGED.
   */
  writeSignatures(node: number, a: number): number {
    const query = this.#query;
    const nodes = this.#index.bytes;
    const denial = this.#denial;
    const flags = nodes[a + ANSWER_FLAGS_AT];
    const part = signedOffset(nodes, a);
    const limit = query.start + this.limit - this.options.length;
    const length = uint16(nodes, part + SIGNATURES_LENGTH_AT);
    const from = signaturesOffset(nodes, part);
    let p = query.questionEnd;
    let nscount = 0;
    if (p + length > limit) p = NO_ROOM;
    else {
      copyBytes(this.#index.view, from, this.#view, p, length);
      p += length;
    }
    if (!denial.isEmpty) this.#findZone(node);
    if (p !== NO_ROOM && !denial.isEmpty && this.#isProven) {
      p = this.#appendProofs(p, limit);
      if (p === CHANGED) return CHANGED;
      if (p === TOO_COSTLY) return this.writeEmpty(RCODE.SERVFAIL, denial.costError);
      nscount = denial.records;
    }
    if (p === NO_ROOM) return this.finishAnswer(query.questionEnd, RCODE.NOERROR, flags, TC, 0, 0, 0);
    const ancount = uint16(nodes, part + SIGNED_ANCOUNT_AT) - uint16(nodes, a + ANCOUNT_AT);
    return this.finishAnswer(p, RCODE.NOERROR, flags, 0, ancount, nscount, 0);
  }

  /** Adds the proofs that a signed part of a node lists. */
  #addProofs(node: number, part: number): void {
    const nodes = this.#index.bytes;
    const count = uint16(nodes, part + PROOF_COUNT_AT);
    if (count === 0) return;
    if ((nodes[node + NODE_FLAGS_AT] & NODE_PRESIGNED) !== 0) {
      // The only one of a presigned zone is that of a delegation without DS.
      this.#denial.presigned.addNode(node, CLAIM.EXISTS);
      return;
    }
    const at = proofsOffset(nodes, part);
    for (let i = 0; i < count; i++) this.#denial.addHash(at + i * HASH_LENGTH, PROOF.ANY);
  }

  /**
   * Finds the zone of a node for its proofs. Returns the offset of the apex, which the directory
   * has, too; 0: there is none.
   */
  #findZone(node: number): number {
    const index = this.#index;
    const nodes = index.bytes;
    const { nameEnd, labels } = this.#query;
    const apexAt = nameEnd - nodes[node + APEX_LENGTH_AT];
    let label = labels;
    while (index.starts[label] > apexAt) label--;
    const sum = index.sums[label];
    const directory = index.findDirectory(this.bytes, apexAt, nameEnd, sum);
    this.#apexAt = apexAt;
    this.#apexSum = sum;
    this.#directory = directory;
    const word = directory === 0 ? 0 : index.readApex(directory);
    if (word !== 0) {
      this.#isProven = (word & APEX_PROVEN) !== 0;
      this.#apex = (word & ~APEX_PROVEN) * 8;
    } else {
      const isApex = (nodes[node + NODE_FLAGS_AT] & NODE_APEX) !== 0;
      const apex = isApex ? node : index.find(this.bytes, apexAt, nameEnd, sum);
      this.#isProven = apex === 0 || isProven(nodes, apex);
      this.#apex = apex;
    }
    return this.#apex;
  }

  /** Writes the proofs at `p`. Returns the offset after them, NO_ROOM, CHANGED or TOO_COSTLY. */
  #appendProofs(p: number, limit: number): number {
    const { start } = this.#query;
    const apexAt = this.#apexAt - start;
    const end = this.#denial.write(this.bytes, this.#view, start, p, limit, this.#directory, apexAt, this.#apex);
    return this.#index.isDisturbed(this.#apexSum) ? CHANGED : end;
  }

  /** Writes the answer at `a` without signatures. Returns the offset after it, or NO_ROOM. */
  #appendPlain(a: number, by: number, p: number, limit: number): number {
    const nodes = this.#index.bytes;
    const length = uint16(nodes, a + BODY_LENGTH_AT);
    if (p + length > limit) return NO_ROOM;
    return this.#copyBody(bodyOffset(nodes, a), length, a + ANSWER_HEADER, uint16(nodes, a + MOVE_COUNT_AT), by, p);
  }

  /**
   * Writes the kept part of the answer at `a` and its signatures. Returns the offset after them, or
   * NO_ROOM.
   */
  #appendSigned(a: number, part: number, by: number, p: number, limit: number): number {
    const nodes = this.#index.bytes;
    const kept = uint16(nodes, part);
    const signatures = uint16(nodes, part + SIGNATURES_LENGTH_AT);
    if (p + kept + signatures > limit) return NO_ROOM;
    const bodyMoves = uint16(nodes, a + MOVE_COUNT_AT);
    const end = this.#copyBody(bodyOffset(nodes, a), kept, a + ANSWER_HEADER, bodyMoves, by, p);
    const moves = uint16(nodes, part + SIGNED_MOVES_AT);
    const moveAt = part + SIGNED_HEADER;
    return this.#copyBody(signaturesOffset(nodes, part), signatures, moveAt, moves, by, end);
  }

  /** Writes the tail of a signed part. Its moves count from the signatures on. */
  #appendTail(part: number, length: number, by: number, p: number): number {
    const nodes = this.#index.bytes;
    const { bytes } = this;
    const signatures = uint16(nodes, part + SIGNATURES_LENGTH_AT);
    const moves = uint16(nodes, part + SIGNED_MOVES_AT);
    const tailAt = signaturesOffset(nodes, part) + signatures;
    copyBytes(this.#index.view, tailAt, this.#view, p, length);
    if (by === 0) return p + length;
    for (let i = 0, m = part + SIGNED_HEADER; i < moves; i++, m += MOVE_ENTRY) {
      const at = uint16(nodes, m) - signatures;
      if (at < 0) continue;
      const target = uint16(nodes, tailAt + at) + by;
      bytes[p + at] = target >>> 8;
      bytes[p + at + 1] = target;
    }
    return p + length;
  }

  /** Copies a body to `p` and adds `by` to its pointers. Returns the offset after it. */
  #copyBody(body: number, length: number, moveAt: number, moves: number, by: number, p: number): number {
    const nodes = this.#index.bytes;
    const { bytes } = this;
    copyBytes(this.#index.view, body, this.#view, p, length);
    if (by === 0) return p + length;
    for (let i = 0, m = moveAt; i < moves; i++, m += MOVE_ENTRY) {
      const at = (nodes[m] << 8) | nodes[m + 1];
      if (at >= length) break;
      const target = ((nodes[body + at] << 8) | nodes[body + at + 1]) + by;
      bytes[p + at] = target >>> 8;
      bytes[p + at + 1] = target;
    }
    return p + length;
  }

  /** The offset of the apex of the node's zone, which contains the queried name. */
  #findApex(node: number): number {
    const nodes = this.#index.bytes;
    if ((nodes[node + NODE_FLAGS_AT] & NODE_APEX) !== 0) return node;
    const index = this.#index;
    const query = this.#query;
    const start = query.nameEnd - nodes[node + APEX_LENGTH_AT];
    let label = query.labels;
    while (index.starts[label] > start) label--;
    return index.find(this.bytes, start, query.nameEnd, index.sums[label]);
  }

  /** Writes OPT at `p` and returns the length of the whole response. */
  finish(p: number, arcount: number, extendedRcode: number): number {
    const { bytes, options } = this;
    const query = this.#query;
    if (!query.hasOpt) return p - query.start;
    const count = arcount + 1;
    bytes[query.start + 10] = count >>> 8;
    bytes[query.start + 11] = count;
    return options.write(bytes, p, query, extendedRcode, this.limit) - query.start;
  }
}
