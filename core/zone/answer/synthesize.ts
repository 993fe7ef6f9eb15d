/**
 * Puts answers together at query time: follows chains below a DNAME (RFC 6672), where the result
 * depends on the name, and from a CNAME to an RRset that is too large to be copied to every alias;
 * omits additional RRsets that a wildcard has twice for some names (ANSWER_REPEATS), and shortens
 * what does not fit as stored if it has the queried name (ANSWER_OWN_TARGET, referrals). Each
 * name of a chain is looked up as the name of a query. It is rare, so it may allocate.
 *
 * The owner of a zone decides what is put together, so the work is bounded: by the length of a
 * chain, and by the room of the response. What cannot fit is not decoded, and large answers are
 * copied (large-answer.ts).
 */

import { Body } from '../../dns/wire/body.ts';
import { HEADER_LENGTH, TC } from '../../dns/wire/header.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import {
  equalNames,
  isWithin,
  joinNames,
  LOWER,
  labelCount,
  MAX_NAME,
  type Name,
  nameId,
  nextCloser,
  parentName,
  wildcardOf,
} from '../../dns/wire/name.ts';
import { isServiceBinding, MAX_SOURCES, RCODE, type ResourceRecord, TYPE } from '../../dns/wire/types.ts';
import {
  ANSWER_AA,
  ANSWER_FLAGS_AT,
  ANSWER_SIGNED,
  ANSWER_STALE,
  ANSWER_STEERED,
  APEX_LENGTH_AT,
  answerOffset,
  HASH_LENGTH,
  isProven,
  NAME_LENGTH_AT,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_FLAGS_AT,
  NODE_PRESIGNED,
  NODE_SIGNED,
  nameOffset,
  OTHERWISE,
  PROOF_COUNT_AT,
  proofsOffset,
  signedOffset,
  uint16,
} from '../../store/answers.ts';
import { expandAdditional, expandAnswer, expandSigned, firstRecord, type Sections } from '../../store/expand-answer.ts';
import { CHANGED, type Denial, NO_ROOM, PROOF, TOO_COSTLY } from './denial.ts';
import type { IndexReader } from './index-reader.ts';
import { isLarge, LargeAnswerCopier, leastSize, SHRINKING, type StoredAnswer } from './large-answer.ts';
import { FOUND, type Found, type Lookup } from './lookup.ts';
import { CLAIM } from './presigned-denial.ts';
import type { Query } from './query.ts';

/** A name of a chain, as the lookup has found it. */
interface Link {
  readonly found: Found;
  readonly node: number;
  /** The owner as stored; of a missing name, its closest encloser. */
  readonly source: Name;
}

/** An answer behind the question: where it ends, and its header (ResponseWriter.finishAnswer). */
interface Synthesized {
  readonly end: number;
  readonly rcode: number;
  /** ANSWER_AA and ANSWER_STALE. */
  readonly flags: number;
  /** TC, or 0. */
  readonly truncated: number;
  readonly ancount: number;
  readonly nscount: number;
  readonly arcount: number;
}

export class Synthesizer {
  readonly #index: IndexReader;
  readonly #lookup: Lookup;
  readonly #denial: Denial;
  #apex: Name = new Uint8Array(1);
  /** The response has signatures and proofs. */
  #isSigned = false;
  /** The signatures and proofs are from the primary of the zone. */
  #isPresigned = false;
  /**
   * Bytes between the question and OPT, and the minimum that the answer and authority sections
   * need.
   */
  #room = 0;
  #least = 0;
  /** The last answer of the chain, if it is copied. */
  #large: StoredAnswer | null = null;
  /** The chain ends at a zone cut, with a referral. */
  #isReferral = false;
  /** The chain ends at stale addresses. */
  #isStale = false;
  readonly #copier: LargeAnswerCopier;

  constructor(index: IndexReader, lookup: Lookup, denial: Denial) {
    this.#index = index;
    this.#lookup = lookup;
    this.#denial = denial;
    this.#copier = new LargeAnswerCopier(index);
  }

  /**
   * Writes the response after the question, with at most `limit` bytes in total. `first`: the first
   * node of the chain, a zone cut or a DNAME above the queried name, or what the name itself owns.
   */
  writeResponse(
    bytes: Uint8Array,
    query: Query,
    found: Found,
    first: number,
    limit: number,
  ): Synthesized | typeof CHANGED | typeof TOO_COSTLY {
    const nodes = this.#index.bytes;
    const queryName = bytes.slice(query.start + HEADER_LENGTH, query.nameEnd).map((byte) => LOWER[byte]);
    this.#apex = queryName.subarray(queryName.length - nodes[first + APEX_LENGTH_AT]);
    this.#isSigned = query.dnssecOk && (nodes[first + NODE_FLAGS_AT] & NODE_SIGNED) !== 0;
    this.#isPresigned = this.#isSigned && (nodes[first + NODE_FLAGS_AT] & NODE_PRESIGNED) !== 0;
    this.#room = limit - (query.questionEnd - query.start);
    this.#least = 0;
    this.#large = null;
    this.#isReferral = false;
    this.#isStale = false;
    const sections: Sections = { answer: [], authority: [], additional: [] };
    const nameStart = nameOffset(nodes, first);
    const source = nodes.slice(nameStart, nameStart + nodes[first + NAME_LENGTH_AT]);
    const rcode = this.#followChain(queryName, { found, node: first, source }, query.type, sections);
    return this.#write(bytes, query, queryName, sections, rcode, limit);
  }

  /** Fills the sections; returns the response code. */
  #followChain(queryName: Name, first: Link, type: number, { answer, authority, additional }: Sections): number {
    const chain = new Chain();
    const dnames: string[] = [];
    let name = queryName;
    for (let link = first; ; link = this.#locate(name)) {
      const { found, node, source } = link;
      const at = name;
      const expand = (a: number, ofType: number, queried = at): Sections => this.#expand(a, ofType, source, queried);
      switch (found) {
        case FOUND.NO_ZONE:
          return RCODE.NOERROR;
        case FOUND.MISSING:
          authority.push(...this.#readSoa(name));
          if (this.#isPresigned) this.#claim(name, source, CLAIM.NAME_ERROR);
          else this.#proveMissing(name, source);
          return RCODE.NXDOMAIN;
        case FOUND.CUT: {
          const isDs = type === TYPE.DS && equalNames(source, name);
          const a = answerOffset(this.#index.bytes, node, isDs ? TYPE.DS : OTHERWISE);
          if (a === 0) {
            authority.push(...this.#readSoa(name));
            if (this.#isPresigned) this.#claim(name, name, CLAIM.EXISTS);
            else this.#prove(name, PROOF.MATCH);
          } else {
            this.#proveStored(a, source);
            this.#isReferral = !isDs;
            if (this.#copyLarge(a, isDs ? TYPE.DS : TYPE.NS, source, source)) return RCODE.NOERROR;
            const referral = expand(a, isDs ? TYPE.DS : TYPE.NS, source);
            append(answer, referral.answer);
            append(authority, referral.authority);
            append(additional, referral.additional);
          }
          return RCODE.NOERROR;
        }
        case FOUND.DNAME: {
          if (!chain.add(name)) return RCODE.NOERROR;
          const a = answerOffset(this.#index.bytes, node, TYPE.DNAME);
          const record = firstRecord(this.#index.bytes, a, source, source);
          const dname = nameId(source);
          if (!dnames.includes(dname)) {
            dnames.push(dname);
            append(answer, expand(a, TYPE.DNAME, source).answer);
          }
          const labels = name.subarray(0, name.length - source.length);
          if (labels.length + record.rdata.length > MAX_NAME) return RCODE.YXDOMAIN;
          const target = joinNames(labels, record.rdata);
          answer.push({ name, type: TYPE.CNAME, ttl: record.ttl, rdata: target });
          if (type === TYPE.CNAME || type === TYPE.ANY || this.#asksSignatures(type, node)) return RCODE.NOERROR;
          name = target;
          break;
        }
        case FOUND.NAME:
        case FOUND.WILDCARD: {
          const flags = this.#index.bytes[node + NODE_FLAGS_AT];
          // NSEC belongs to the alias itself (RFC 4035 section 2.5).
          if ((flags & NODE_CNAME) !== 0 && (type !== TYPE.NSEC || (flags & NODE_PRESIGNED) === 0)) {
            const a = answerOffset(this.#index.bytes, node, TYPE.CNAME);
            if (this.#isSteered(a) || !chain.add(name)) return RCODE.NOERROR;
            const records = expand(a, TYPE.CNAME).answer;
            append(answer, records);
            name = (records[0] ?? firstRecord(this.#index.bytes, a, source, name)).rdata;
            break;
          }
          const a = answerOffset(this.#index.bytes, node, type);
          if (a !== 0 && this.#isSteered(a)) return RCODE.NOERROR;
          if (a === 0 || type === OTHERWISE) {
            authority.push(...this.#readSoa(name));
            if (this.#isPresigned) {
              this.#claim(source, source, CLAIM.EXISTS);
              if (!equalNames(source, name)) this.#claim(parentName(source), parentName(source), CLAIM.ENCLOSER);
            } else this.#prove(source, PROOF.MATCH);
            // RFC 5155 section 7.2.5.
            if (!equalNames(source, name)) this.#prove(parentName(source), PROOF.MATCH);
          } else if (this.#index.bytes[a] === RCODE.SERVFAIL) {
            // The chain may be correct, but the addresses of its target are unknown.
            answer.length = 0;
            this.#least = 0;
            return RCODE.SERVFAIL;
          } else {
            this.#isStale = (this.#index.bytes[a + ANSWER_FLAGS_AT] & ANSWER_STALE) !== 0;
            // The name may be the owner of a DNAME that the chain has passed.
            const isPassed = type === TYPE.DNAME && dnames.includes(nameId(name));
            const isCopied = !isPassed && this.#copyLarge(a, type, source, name);
            const isService = isServiceBinding(type);
            const positive = isCopied || isPassed ? NOTHING : expand(a, type);
            append(answer, positive.answer);
            if (!isService) append(additional, positive.additional);
            else {
              // A target may be an alias that the chain has passed, or the name itself
              // (ANSWER_REPEATS).
              const more = isCopied ? expandAdditional(this.#index.bytes, a, source, name) : positive.additional;
              const passed = new Set([...answer, { name, type }].map(setId));
              const added = new Set<string>();
              for (const record of more) {
                const id = `${setId(record)} ${latin1(record.rdata)}`;
                if (passed.has(setId(record)) || added.has(id)) continue;
                added.add(id);
                additional.push(record);
              }
            }
          }
          return RCODE.NOERROR;
        }
        default:
          found satisfies never;
      }
    }
  }

  /** The next link of a chain. It ends where the zone of the query ends. */
  #locate(name: Name): Link {
    const index = this.#index;
    const apex = this.#apex;
    const lookup = this.#lookup;
    const outside: Link = { found: FOUND.NO_ZONE, node: 0, source: name };
    if (!isWithin(name, apex)) return outside;
    const found = lookup.find(name, name.length, this.#hashSuffixes(name));
    const { node, encloser } = lookup;
    if (found === FOUND.NO_ZONE) return { found: FOUND.MISSING, node: 0, source: apex };
    if (index.bytes[encloser + APEX_LENGTH_AT] !== apex.length) return outside;
    const source = name.subarray(index.starts[lookup.label]);
    const isCut = (index.bytes[encloser + NODE_FLAGS_AT] & NODE_DELEGATION) !== 0;
    if (found !== FOUND.WILDCARD) return { found: isCut ? FOUND.CUT : found, node, source };
    if (this.#isPresigned) this.#claim(name, source, CLAIM.EXPANSION);
    else this.#prove(nextCloser(name, source), PROOF.COVER);
    return { found, node, source: wildcardOf(source) };
  }

  /** The records of a stored answer, unless the response has no room for them. */
  #expand(a: number, type: number, source: Name, queried: Name): Sections {
    const { bytes } = this.#index;
    this.#least += leastSize(bytes, { a, type, isSigned: this.#hasSignatures(a) });
    if (this.#isFull) return NOTHING;
    if (this.#hasSignatures(a)) return expandSigned(bytes, a, source, queried);
    return expandAnswer(bytes, a, source, queried, 2 * this.#room + SHRINKING);
  }

  /** Answer and authority section do not fit. */
  get #isFull(): boolean {
    return this.#least > this.#room;
  }

  /** A chain ends before a steered name: the client asks for it, and gets its variant. */
  #isSteered(a: number): boolean {
    return (this.#index.bytes[a + ANSWER_FLAGS_AT] & ANSWER_STEERED) !== 0;
  }

  #hasSignatures(a: number): boolean {
    return this.#isSigned && (this.#index.bytes[a + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0;
  }

  /** Whether the last answer of a chain is copied. Then it is not expanded. */
  #copyLarge(a: number, type: number, source: Name, owner: Name): boolean {
    const stored = { a, type, source, owner, isSigned: this.#hasSignatures(a) };
    if (!isLarge(this.#index.bytes, stored, this.#room)) return false;
    this.#least += leastSize(this.#index.bytes, stored);
    if (!this.#isFull) this.#large = stored;
    return true;
  }

  /** Whether a query asks for signatures. It is answered like a query for ANY. */
  #asksSignatures(type: number, node: number): boolean {
    return type === TYPE.RRSIG && (this.#index.bytes[node + NODE_FLAGS_AT] & NODE_SIGNED) !== 0;
  }

  /** Adds a claim about a name of a presigned zone. */
  #claim(name: Name, encloser: Name, claim: number): void {
    this.#denial.presigned.add(name, 0, name.length, name.length - encloser.length, claim);
  }

  #prove(name: Name, kind: number): void {
    if (this.#isSigned && !this.#isPresigned) this.#denial.addName(name, 0, name.length, kind);
  }

  /** Adds the proofs of the answer at `a` of the node of `source`. */
  #proveStored(a: number, source: Name): void {
    const { bytes } = this.#index;
    if (!this.#isSigned || (bytes[a + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) return;
    const part = signedOffset(bytes, a);
    const count = uint16(bytes, part + PROOF_COUNT_AT);
    if (this.#isPresigned) {
      if (count > 0) this.#claim(source, source, CLAIM.EXISTS);
      return;
    }
    const at = proofsOffset(bytes, part);
    for (let i = 0; i < count; i++) this.#denial.addHash(at + i * HASH_LENGTH, PROOF.ANY);
  }

  /** RFC 5155 section 7.2.2. */
  #proveMissing(name: Name, encloser: Name): void {
    this.#prove(encloser, PROOF.MATCH);
    this.#prove(nextCloser(name, encloser), PROOF.COVER);
    if (encloser.length + 2 <= MAX_NAME) this.#prove(wildcardOf(encloser), PROOF.COVER);
  }

  #readSoa(name: Name): ResourceRecord[] {
    const node = this.#findApex(name);
    return node === 0
      ? []
      : this.#expand(answerOffset(this.#index.bytes, node, OTHERWISE), TYPE.SOA, this.#apex, this.#apex).authority;
  }

  /** The node of the apex above a name whose suffixes were hashed last; 0: there is none. */
  #findApex(name: Name): number {
    const index = this.#index;
    let labels = 0;
    let p = 0;
    for (; p < name.length - this.#apex.length; p += name[p] + 1) labels++;
    return index.find(name, p, name.length, index.sums[labels]);
  }

  /** Whether the zone has all its NSEC3 records: see ZoneSigner. */
  #isProven(queryName: Name): boolean {
    this.#hashSuffixes(queryName);
    const node = this.#findApex(queryName);
    return node === 0 || isProven(this.#index.bytes, node);
  }

  /** Returns the number of labels. */
  #hashSuffixes(name: Name): number {
    const index = this.#index;
    let labels = 0;
    for (let at = 0; name[at] !== 0; at += name[at] + 1) index.starts[labels++] = at;
    index.starts[labels] = name.length - 1;
    index.hashSuffixes(name, name.length, labels);
    return labels;
  }

  #write(
    bytes: Uint8Array,
    query: Query,
    queryName: Name,
    sections: Sections,
    rcode: number,
    limit: number,
  ): Synthesized | typeof CHANGED | typeof TOO_COSTLY {
    const { start, questionEnd } = query;
    const { answer, authority } = sections;
    const end = start + limit;
    const body = new Body(queryName, 'exact');
    let p = this.#isFull ? NO_ROOM : this.#writeMain(body, bytes, questionEnd, [...answer, ...authority]);
    let ancount = answer.length;
    let nscount = authority.length;
    let arcount = 0;
    const large = p === NO_ROOM ? null : this.#large;
    if (large !== null) {
      p = this.#copier.copyMain(large, body, bytes, start, p, end);
      ancount += this.#copier.ancount;
      nscount += this.#copier.nscount;
    }
    const isGlue = this.#isReferral;
    const hasProofs = p !== NO_ROOM && this.#isSigned && !this.#denial.isEmpty && this.#isProven(queryName);
    if (hasProofs) {
      p = this.#writeProofs(bytes, query, queryName, p, end);
      if (p === CHANGED || p === TOO_COSTLY) return p;
      nscount += this.#denial.records;
    }
    // Records other than glue are left out for signed answers.
    if (p !== NO_ROOM && (isGlue || !this.#isSigned)) {
      if (large !== null && !isServiceBinding(large.type)) {
        p = this.#copier.copyAdditional(p, end);
        arcount = this.#copier.arcount;
      } else {
        // The bytes between the two are not available here, so names are compressed only against
        // the question.
        const behind = hasProofs || large !== null ? new Body(queryName, 'exact', false) : body;
        const additional = writeAdditional(behind, sections.additional, end - p, isGlue);
        if (additional === null) p = NO_ROOM;
        else {
          bytes.set(additional.content, p);
          p += additional.content.length;
          arcount = additional.count;
        }
      }
    }
    // A chain that ends at a zone cut has the owner of its first record.
    const isAuthoritative = rcode !== RCODE.SERVFAIL && (ancount > 0 || !isGlue);
    const flags = (isAuthoritative ? ANSWER_AA : 0) | (this.#isStale ? ANSWER_STALE : 0);
    if (p === NO_ROOM) return { end: questionEnd, rcode, flags, truncated: TC, ancount: 0, nscount: 0, arcount: 0 };
    return { end: p, rcode, flags, truncated: 0, ancount, nscount, arcount };
  }

  /** Writes decoded records after the question. Returns the offset after them, or NO_ROOM. */
  #writeMain(body: Body, bytes: Uint8Array, at: number, records: readonly ResourceRecord[]): number {
    for (const { name, type, ttl, rdata } of records) {
      body.record(name, type, ttl, rdata);
      if (body.size > this.#room) return NO_ROOM;
    }
    bytes.set(body.content, at);
    return at + body.size;
  }

  #writeProofs(bytes: Uint8Array, query: Query, queryName: Name, p: number, limit: number): number {
    const index = this.#index;
    this.#hashSuffixes(queryName);
    const from = queryName.length - this.#apex.length;
    let label = 0;
    while (index.starts[label] < from) label++;
    const sum = index.sums[label];
    const apex = this.#isPresigned ? index.find(queryName, from, queryName.length, sum) : 0;
    const directory = index.findDirectory(queryName, from, queryName.length, sum);
    const end = this.#denial.write(
      bytes,
      new DataView(bytes.buffer, bytes.byteOffset),
      query.start,
      p,
      limit,
      directory,
      HEADER_LENGTH + from,
      apex,
    );
    return index.isDisturbed(sum) ? CHANGED : end;
  }
}

/**
 * Writes the additional section behind what the body has. An RRset is added completely or not at
 * all, and glue is required (RFC 2181 section 9, RFC 9471): null if there is no room for it.
 */
function writeAdditional(
  body: Body,
  records: readonly ResourceRecord[],
  room: number,
  isGlue: boolean,
): { readonly content: Uint8Array; readonly count: number } | null {
  const from = body.size;
  let end = from;
  let count = 0;
  for (const [i, record] of records.entries()) {
    body.record(record.name, record.type, record.ttl, record.rdata);
    if (body.size - from > room) {
      if (isGlue) return null;
      break;
    }
    const next = records[i + 1];
    if (next?.type === record.type && equalNames(next.name, record.name)) continue;
    end = body.size;
    count = i + 1;
  }
  return { content: body.content.subarray(from, end), count };
}

const NOTHING: Sections = { answer: [], authority: [], additional: [] };

/** A call with thousands of arguments would be slow. */
function append(section: ResourceRecord[], records: readonly ResourceRecord[]): void {
  for (const record of records) section.push(record);
}

const setId = ({ name, type }: Pick<ResourceRecord, 'name' | 'type'>): string => `${type} ${nameId(name)}`;

/**
 * Maximum labels of all names of a chain that lead to another name. Each label costs a step of the
 * search and of the compression. Chains of MAX_SOURCES names of usual length stay below it.
 */
const MAX_CHAIN_LABELS = 1024;

/** The owners of the CNAMEs, and the names redirected by DNAMEs, of a response. */
class Chain {
  readonly #names: string[] = [];
  #labels = 0;

  /** False: the chain ends, because it contains the name already or is too long. */
  add(name: Name): boolean {
    const id = nameId(name);
    this.#labels += labelCount(name);
    if (this.#names.length === MAX_SOURCES || this.#labels > MAX_CHAIN_LABELS || this.#names.includes(id)) return false;
    this.#names.push(id);
    return true;
  }
}
