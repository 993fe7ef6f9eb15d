/**
 * The query path: a packet in, the response in its place. The question stays where it is, so what is written is the header's
 * flags and counts, the compiled body behind the question, and OPT. Nothing is allocated per packet.
 */
import {
  ANSWER_AA,
  ANSWER_HEADER,
  ANSWER_NEGATIVE,
  ANSWER_SOA,
  answerOffset,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_DNAME,
  NODE_HAS_WILDCARD,
  NODE_HEADER,
  OTHERWISE,
  TYPE_ENTRY,
} from '../store/answers.ts';
import { RCODE, TYPE } from '../wire/types.ts';
import { type Client, TRANSPORT } from './client.ts';
import type { IndexReader } from './index-reader.ts';
import { DEFER, LOOK_UP, Query, SILENCE } from './query.ts';
import { Synthesizer } from './synthesize.ts';

const HEADER = 12;
const OPT_LENGTH = 11;
/** RFC 1035 4.2.1: what a UDP message may have when its sender says nothing. */
const PLAIN_UDP = 512;
export const MAX_MESSAGE = 65535;
/** In place of a response's length: the message waits for somebody else, and lies there unchanged. */
export const DEFERRED = -1;

export class Responder {
  private readonly index: IndexReader;
  private readonly udpPayload: number;
  /** The query answered last, for those who count. */
  readonly query = new Query();
  private readonly synthesizer: Synthesizer;
  private bytes: Uint8Array = new Uint8Array(0);
  private limit = 0;

  /** `udpPayload`: the most that we send over UDP, and what OPT says we take. */
  constructor(index: IndexReader, udpPayload: number) {
    this.index = index;
    this.udpPayload = udpPayload;
    this.synthesizer = new Synthesizer(index);
  }

  /**
   * Answers the packet at bytes[start, start + length) in place; there must be room for the limit. Returns the response's length, 0 for
   * silence, or DEFERRED. Between `index.enter()` and `index.leave()`.
   */
  respond(bytes: Uint8Array, start: number, length: number, client: Client): number {
    const { query, index } = this;
    this.bytes = bytes;
    const verdict = query.parse(bytes, start, length, index.starts);
    if (verdict === SILENCE) return 0;
    if (client.transport !== TRANSPORT.UDP) this.limit = MAX_MESSAGE;
    else if (!query.hasOpt) this.limit = PLAIN_UDP;
    else this.limit = Math.min(Math.max(query.udpSize, PLAIN_UDP), this.udpPayload);
    if (verdict === LOOK_UP) return this.lookUp();
    return verdict === DEFER ? DEFERRED : this.bare(verdict);
  }

  /** Answers the message parsed last, when it was deferred and nobody takes it, by a code alone. Returns the response's length. */
  refuse(rcode: number): number {
    return this.bare(rcode);
  }

  private lookUp(): number {
    const { query, index, bytes } = this;
    const { labels, nameEnd } = query;
    index.hashSuffixes(bytes, nameEnd, labels);
    const nodes = index.bytes;
    query.account = index.sums[0];
    const exact = labels > index.maxLabels ? 0 : index.find(bytes, index.starts[0], nameEnd, index.sums[0]);
    let label = 1;
    if (exact !== 0) {
      const flags = nodes[exact + 4];
      if (query.type !== TYPE.DS || (flags & NODE_APEX) === 0 || answerOffset(this.index.bytes, exact, TYPE.DS) !== 0)
        return this.answerType(exact);
      // DS of a zone of ours belongs to the zone above (RFC 4035 3.1.4.1), if that is ours too.
    }
    if (labels - label > index.maxLabels) label = labels - index.maxLabels;
    let encloser = 0;
    for (; label <= labels; label++) {
      encloser = index.find(bytes, index.starts[label], nameEnd, index.sums[label]);
      if (encloser !== 0) break;
    }
    if (encloser === 0) return exact !== 0 ? this.answerType(exact) : this.bare(RCODE.REFUSED);
    query.account = index.sums[label];
    const flags = nodes[encloser + 4];
    if ((flags & NODE_DELEGATION) !== 0)
      return this.emit(encloser, answerOffset(this.index.bytes, encloser, OTHERWISE), RCODE.NOERROR);
    if ((flags & NODE_DNAME) !== 0) return this.synthesize(encloser);
    if (exact !== 0) return this.negative(encloser, RCODE.NOERROR);
    if ((flags & NODE_HAS_WILDCARD) !== 0) {
      const wildcard = index.findWildcard(bytes, index.starts[label], nameEnd, index.sums[label]);
      if (wildcard !== 0) return this.answerType(wildcard);
    }
    if ((flags & NODE_APEX) === 0) query.account = this.apexSum(encloser, label);
    return this.negative(encloser, RCODE.NXDOMAIN);
  }

  /** Hash of the apex above a node whose name begins at `label`. */
  private apexSum(node: number, label: number): number {
    const { index, query } = this;
    const start = query.nameEnd - index.bytes[node + 6];
    let apex = label;
    while (index.starts[apex] < start) apex++;
    return index.sums[apex];
  }

  /** A name below a DNAME, or an alias of something large: the chain is walked when it is asked. */
  private synthesize(node: number): number {
    const { query, bytes } = this;
    const arcount = this.synthesizer.run(bytes, query, node, this.limit - (query.hasOpt ? OPT_LENGTH : 0));
    query.rcode = bytes[query.start + 3] & 15;
    return this.finish(this.synthesizer.end, arcount, 0);
  }

  /** The answer of a node that exists, by itself or as a wildcard, for the type asked. */
  private answerType(node: number): number {
    const nodes = this.index.bytes;
    const flags = nodes[node + 4];
    let type = this.query.type;
    let answer = 0;
    if ((flags & NODE_DELEGATION) !== 0) {
      answer = answerOffset(this.index.bytes, node, type === TYPE.DS ? TYPE.DS : OTHERWISE);
      if (answer === 0) return this.negative(node, RCODE.NOERROR);
      return this.emit(node, answer, RCODE.NOERROR);
    }
    if (type === TYPE.ANY) {
      // RFC 8482 4.1: one RRset. At a CNAME that one, elsewhere the one with the lowest type.
      type = (flags & NODE_CNAME) !== 0 ? TYPE.CNAME : this.firstType(node);
      if (type === OTHERWISE) return this.negative(node, RCODE.NOERROR);
      return this.emit(node, answerOffset(this.index.bytes, node, type), RCODE.NOERROR, true);
    }
    answer = answerOffset(this.index.bytes, node, type);
    if (answer === 0 && (flags & NODE_CNAME) !== 0) answer = answerOffset(this.index.bytes, node, OTHERWISE);
    // Offset 0 in the node: the chain is walked now.
    if (answer === node) return this.synthesize(node);
    if (answer === 0 || ((flags & NODE_APEX) !== 0 && type === OTHERWISE)) return this.negative(node, RCODE.NOERROR);
    return this.emit(node, answer, RCODE.NOERROR);
  }

  private firstType(node: number): number {
    const nodes = this.index.bytes;
    const first = node + NODE_HEADER;
    const type = (nodes[first] << 8) | nodes[first + 1];
    if (nodes[node + 7] === 0) return OTHERWISE;
    if (type !== OTHERWISE || nodes[node + 7] === 1) return type;
    return (nodes[first + TYPE_ENTRY] << 8) | nodes[first + TYPE_ENTRY + 1];
  }

  /** Offset of the apex of a node's zone. The name asked lies within it. */
  private apexOf(node: number): number {
    const nodes = this.index.bytes;
    if ((nodes[node + 4] & NODE_APEX) !== 0) return node;
    const { index, query } = this;
    const start = query.nameEnd - nodes[node + 6];
    let label = query.labels;
    while (index.starts[label] > start) label--;
    return index.find(this.bytes, start, query.nameEnd, index.sums[label]);
  }

  /** NODATA or NXDOMAIN with the SOA of the node's zone (RFC 2308). */
  private negative(node: number, rcode: number): number {
    const apex = this.apexOf(node);
    if (apex === 0) return this.bare(RCODE.SERVFAIL);
    return this.emit(apex, answerOffset(this.index.bytes, apex, OTHERWISE), rcode);
  }

  /** A response without records. */
  private bare(rcode: number): number {
    const { bytes, query } = this;
    query.rcode = rcode;
    const start = query.start;
    const p = query.questionEnd === 0 ? start + HEADER : query.questionEnd;
    bytes[start + 2] = 0x80 | (bytes[start + 2] & 0x79);
    bytes[start + 3] = rcode & 15;
    bytes[start + 4] = 0;
    bytes[start + 5] = query.questionEnd === 0 ? 0 : 1;
    for (let i = 6; i < HEADER; i++) bytes[start + i] = 0;
    return this.finish(p, 0, rcode >>> 4);
  }

  /**
   * Writes the answer at `a` of a node whose name is the one asked, a wildcard for it, or a suffix of it. `rcode` counts when the answer's
   * own is NOERROR. `minimal`: without additional records.
   */
  private emit(node: number, a: number, rcode: number, minimal = false): number {
    const { bytes, query, index } = this;
    const nodes = index.bytes;
    const { start, questionEnd } = query;
    const flags = nodes[a + 1];
    let ancount = (nodes[a + 2] << 8) | nodes[a + 3];
    let nscount = (nodes[a + 4] << 8) | nodes[a + 5];
    let arcount = (nodes[a + 6] << 8) | nodes[a + 7];
    let length = (nodes[a + 8] << 8) | nodes[a + 9];
    const moves = (nodes[a + 10] << 8) | nodes[a + 11];
    const drops = (nodes[a + 12] << 8) | nodes[a + 13];
    const moveAt = a + ANSWER_HEADER;
    const dropAt = moveAt + moves * 2;
    const body = dropAt + drops * 4;
    // The SOA lives at the apex only; behind a chain it is put from there.
    let apex = 0;
    let soa = 0;
    let soaLength = 0;
    if ((flags & (ANSWER_NEGATIVE | ANSWER_SOA)) !== 0) {
      apex = this.apexOf(node);
      soa = apex === 0 ? 0 : answerOffset(this.index.bytes, apex, (flags & ANSWER_SOA) !== 0 ? TYPE.SOA : OTHERWISE);
      if (soa === 0) return this.bare(RCODE.SERVFAIL);
      soaLength = (nodes[soa + 8] << 8) | nodes[soa + 9];
    }
    const nameLength = query.nameEnd - start - HEADER;
    const room = this.limit - (questionEnd - start) - soaLength - (query.hasOpt ? OPT_LENGTH : 0);
    if (minimal && drops > 0) {
      const last = dropAt + (drops - 1) * 4;
      length = (nodes[last] << 8) | nodes[last + 1];
      arcount = 0;
    }
    for (let i = 0, d = dropAt; length > room && i < drops; i++, d += 4) {
      length = (nodes[d] << 8) | nodes[d + 1];
      arcount = (nodes[d + 2] << 8) | nodes[d + 3];
    }
    let p = questionEnd;
    let truncated = 0;
    if (length > room) {
      truncated = 2;
      ancount = 0;
      nscount = 0;
      arcount = 0;
    } else {
      p = this.copyBody(body, length, moveAt, moves, nameLength - nodes[node + 5], p);
      if (soa !== 0) {
        const soaMoves = (nodes[soa + 10] << 8) | nodes[soa + 11];
        const soaMoveAt = soa + ANSWER_HEADER;
        p = this.copyBody(soaMoveAt + soaMoves * 2, soaLength, soaMoveAt, soaMoves, nameLength - nodes[apex + 5], p);
        if ((flags & ANSWER_SOA) !== 0) ancount++;
        else nscount++;
      }
    }
    const code = nodes[a] === RCODE.NOERROR ? rcode : nodes[a];
    bytes[start + 2] = 0x80 | (bytes[start + 2] & 0x01) | (flags & ANSWER_AA) | truncated;
    bytes[start + 3] = code;
    query.rcode = code;
    bytes[start + 6] = ancount >>> 8;
    bytes[start + 7] = ancount;
    bytes[start + 8] = nscount >>> 8;
    bytes[start + 9] = nscount;
    bytes[start + 10] = arcount >>> 8;
    bytes[start + 11] = arcount;
    return this.finish(p, arcount, 0);
  }

  /** Copies a body behind `p` and moves its pointers by `by`. Returns the end. */
  private copyBody(body: number, length: number, moveAt: number, moves: number, by: number, p: number): number {
    const nodes = this.index.bytes;
    const { bytes } = this;
    for (let i = 0; i < length; i++) bytes[p + i] = nodes[body + i];
    if (by === 0) return p + length;
    for (let i = 0, m = moveAt; i < moves; i++, m += 2) {
      const at = (nodes[m] << 8) | nodes[m + 1];
      if (at >= length) break;
      const target = ((nodes[body + at] << 8) | nodes[body + at + 1]) + by;
      bytes[p + at] = target >>> 8;
      bytes[p + at + 1] = target;
    }
    return p + length;
  }

  /** Puts OPT behind `p` and returns the length of the whole response. */
  private finish(p: number, arcount: number, extendedRcode: number): number {
    const { bytes, query } = this;
    if (!query.hasOpt) return p - query.start;
    bytes[p] = 0;
    bytes[p + 1] = 0;
    bytes[p + 2] = TYPE.OPT;
    bytes[p + 3] = this.udpPayload >>> 8;
    bytes[p + 4] = this.udpPayload;
    bytes[p + 5] = extendedRcode;
    bytes[p + 6] = 0;
    bytes[p + 7] = query.dnssecOk ? 0x80 : 0;
    bytes[p + 8] = 0;
    bytes[p + 9] = 0;
    bytes[p + 10] = 0;
    const count = arcount + 1;
    bytes[query.start + 10] = count >>> 8;
    bytes[query.start + 11] = count;
    return p + OPT_LENGTH - query.start;
  }
}
