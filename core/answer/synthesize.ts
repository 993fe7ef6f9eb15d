/**
 * Follows chains at query time: below a DNAME (RFC 6672), where the result depends on the name, and
 * from a CNAME to an RRset that is too large to be copied to every alias. Applies the rules of RFC
 * 1034 section 4.3.2 to the nodes of the index. It is rare, so it may allocate; the length of a
 * chain is limited.
 */

import {
  ANSWER_AA,
  ANSWER_STALE,
  APEX_LENGTH_AT,
  answerOffset,
  NAME_LENGTH_AT,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_DNAME,
  NODE_FLAGS_AT,
  NODE_HAS_WILDCARD,
  nameOffset,
  OTHERWISE,
} from '../store/answers.ts';
import { Body } from '../wire/body.ts';
import { EXTENDED_ERROR } from '../wire/edns.ts';
import { HEADER_LENGTH, QR, TC } from '../wire/header.ts';
import {
  equalNames,
  isWithin,
  joinNames,
  LOWER,
  MAX_NAME,
  type Name,
  nameAt,
  nameId,
  wildcardOf,
} from '../wire/name.ts';
import { MAX_SOURCES, RCODE, type ResourceRecord, TYPE } from '../wire/types.ts';
import { expandAnswer, type Sections } from './expand.ts';
import type { IndexReader } from './index-reader.ts';
import { NO_ERROR } from './options.ts';
import type { Query } from './query.ts';

interface Found {
  readonly kind: 'node' | 'cut' | 'dname' | 'missing' | 'outside';
  readonly node: number;
  /** The owner as stored. */
  readonly source: Name;
}

export class Synthesizer {
  /** Offset after the last written byte. */
  end = 0;
  /** Extended error of the response (RFC 8914), or NO_ERROR. */
  error = NO_ERROR;
  readonly #index: IndexReader;
  #apex: Name = new Uint8Array(1);

  constructor(index: IndexReader) {
    this.#index = index;
  }

  /**
   * Writes the response after the question, with at most `limit` bytes in total. `first`: the first
   * node of the chain, a DNAME above the queried name or the CNAME of the name itself. Returns the
   * number of additional records.
   */
  writeResponse(bytes: Uint8Array, query: Query, first: number, limit: number): number {
    const nodes = this.#index.bytes;
    this.error = NO_ERROR;
    const queryName = bytes.slice(query.start + HEADER_LENGTH, query.nameEnd).map((byte) => LOWER[byte]);
    this.#apex = queryName.subarray(queryName.length - nodes[first + APEX_LENGTH_AT]);
    const sections: Sections = { answer: [], authority: [], additional: [] };
    const nameStart = nameOffset(nodes, first);
    const source = nodes.slice(nameStart, nameStart + nodes[first + NAME_LENGTH_AT]);
    const kind = (nodes[first + NODE_FLAGS_AT] & NODE_CNAME) !== 0 ? 'node' : 'dname';
    const rcode = this.#followChain(queryName, { kind, node: first, source }, query.type, sections);
    return this.#write(bytes, query, queryName, sections, rcode, limit);
  }

  /** Fills the sections; returns the response code. */
  #followChain(queryName: Name, first: Found, type: number, { answer, authority, additional }: Sections): number {
    const used: string[] = [];
    const dnames: string[] = [];
    let name = queryName;
    for (let found = first; ; found = this.#locate(name)) {
      const { source } = found;
      const at = name;
      const expand = (a: number): Sections => expandAnswer(this.#index.bytes, a, source, at);
      switch (found.kind) {
        case 'outside':
          return RCODE.NOERROR;
        case 'missing':
          authority.push(...this.#readSoa(name));
          return RCODE.NXDOMAIN;
        case 'cut': {
          const isDs = type === TYPE.DS && equalNames(found.source, name);
          const a = answerOffset(this.#index.bytes, found.node, isDs ? TYPE.DS : OTHERWISE);
          if (a === 0) authority.push(...this.#readSoa(name));
          else {
            const referral = expandAnswer(this.#index.bytes, a, found.source, found.source);
            answer.push(...referral.answer);
            authority.push(...referral.authority);
            additional.push(...referral.additional);
          }
          return RCODE.NOERROR;
        }
        case 'dname': {
          if (!addToChain(used, name)) return RCODE.NOERROR;
          const record = expandAnswer(
            this.#index.bytes,
            answerOffset(this.#index.bytes, found.node, TYPE.DNAME),
            found.source,
            found.source,
          ).answer[0];
          const dname = nameId(found.source);
          if (!dnames.includes(dname)) {
            dnames.push(dname);
            answer.push(record);
          }
          const labels = name.subarray(0, name.length - found.source.length);
          if (labels.length + record.rdata.length > MAX_NAME) return RCODE.YXDOMAIN;
          const target = joinNames(labels, record.rdata);
          answer.push({ name, type: TYPE.CNAME, ttl: record.ttl, rdata: target });
          if (type === TYPE.CNAME || type === TYPE.ANY) return RCODE.NOERROR;
          name = target;
          break;
        }
        case 'node': {
          if ((this.#index.bytes[found.node + 4] & NODE_CNAME) !== 0) {
            if (!addToChain(used, name)) return RCODE.NOERROR;
            const cname = expand(answerOffset(this.#index.bytes, found.node, TYPE.CNAME)).answer[0];
            answer.push(cname);
            name = nameAt(cname.rdata, 0);
            break;
          }
          const a = answerOffset(this.#index.bytes, found.node, type);
          if (a === 0 || type === OTHERWISE) authority.push(...this.#readSoa(name));
          else if (this.#index.bytes[a] === RCODE.SERVFAIL) {
            // The chain may be correct, but the addresses of its target are unknown.
            answer.length = 0;
            this.error = EXTENDED_ERROR.NO_REACHABLE_AUTHORITY;
            return RCODE.SERVFAIL;
          } else {
            if ((this.#index.bytes[a + 1] & ANSWER_STALE) !== 0) this.error = EXTENDED_ERROR.STALE_ANSWER;
            const positive = expand(a);
            // The name may be the owner of a DNAME that the chain has passed.
            if (type !== TYPE.DNAME || !dnames.includes(nameId(name))) answer.push(...positive.answer);
            // A target of SVCB or HTTPS may be an alias that the chain has passed.
            additional.push(...positive.additional.filter((record) => !containsRecord(answer, record)));
          }
          return RCODE.NOERROR;
        }
        default:
          found.kind satisfies never;
      }
    }
  }

  #locate(name: Name): Found {
    const index = this.#index;
    const apex = this.#apex;
    const outside: Found = { kind: 'outside', node: 0, source: name };
    if (!isWithin(name, apex)) return outside;
    let labels = 0;
    let p = 0;
    for (; name[p] !== 0; p += name[p] + 1) index.starts[labels++] = p;
    index.starts[labels] = p;
    index.hashSuffixes(name, name.length, labels);
    for (let label = 0; label <= labels; label++) {
      const node = index.find(name, index.starts[label], name.length, index.sums[label]);
      if (node === 0) continue;
      const source = name.subarray(index.starts[label]);
      const flags = index.bytes[node + 4];
      if (index.bytes[node + 6] !== apex.length) return outside;
      if ((flags & NODE_DELEGATION) !== 0) return { kind: 'cut', node, source };
      if (label === 0) return { kind: 'node', node, source };
      if ((flags & NODE_DNAME) !== 0) return { kind: 'dname', node, source };
      if ((flags & NODE_HAS_WILDCARD) === 0) break;
      const wildcard = index.findWildcard(name, index.starts[label], name.length, index.sums[label]);
      if (wildcard === 0) break;
      return { kind: 'node', node: wildcard, source: wildcardOf(source) };
    }
    return { kind: 'missing', node: 0, source: name };
  }

  #readSoa(name: Name): ResourceRecord[] {
    const index = this.#index;
    const apex = this.#apex;
    let labels = 0;
    let p = 0;
    for (; p < name.length - apex.length; p += name[p] + 1) labels++;
    const node = index.find(name, p, name.length, index.sums[labels]);
    return node === 0
      ? []
      : expandAnswer(index.bytes, answerOffset(this.#index.bytes, node, OTHERWISE), apex, apex).authority;
  }

  #write(bytes: Uint8Array, query: Query, queryName: Name, sections: Sections, rcode: number, limit: number): number {
    const { start, questionEnd } = query;
    const room = limit - (questionEnd - start);
    const isReferral = sections.authority.some((record) => record.type === TYPE.NS);
    const body = new Body(queryName, 'exact');
    for (const record of [...sections.answer, ...sections.authority])
      body.record(record.name, record.type, record.ttl, record.rdata);
    let length = body.size;
    let arcount = 0;
    // An additional RRset is added completely or not at all, but glue is required (RFC 2181 section
    // 9, RFC 9471).
    sections.additional.forEach((record, i, all) => {
      body.record(record.name, record.type, record.ttl, record.rdata);
      const endsRRset = all[i + 1]?.type !== record.type || !equalNames(all[i + 1].name, record.name);
      if (!endsRRset || (body.size > room && !isReferral)) return;
      length = body.size;
      arcount = i + 1;
    });
    const fits = length <= room;
    if (fits) bytes.set(body.content.subarray(0, length), questionEnd);
    const counts = fits ? [sections.answer.length, sections.authority.length, arcount] : [0, 0, 0];
    bytes[start + 2] = QR | (bytes[start + 2] & 0x01) | (rcode === RCODE.SERVFAIL ? 0 : ANSWER_AA) | (fits ? 0 : TC);
    bytes[start + 3] = rcode;
    counts.forEach((count, i) => {
      bytes[start + 6 + i * 2] = count >>> 8;
      bytes[start + 7 + i * 2] = count;
    });
    this.end = questionEnd + (fits ? length : 0);
    return counts[2];
  }
}

function containsRecord(section: readonly ResourceRecord[], { type, name }: ResourceRecord): boolean {
  return section.some((other) => other.type === type && equalNames(other.name, name));
}

/**
 * Adds a name to the chain. False: the chain ends, because it contains the name already or is too
 * long.
 */
function addToChain(used: string[], name: Name): boolean {
  const id = nameId(name);
  if (used.length === MAX_SOURCES || used.includes(id)) return false;
  used.push(id);
  return true;
}
