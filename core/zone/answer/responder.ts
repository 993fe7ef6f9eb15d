/**
 * The query path: replaces a query in the packet by its response. `Lookup` finds the name,
 * `Responder` selects the answer, `ResponseWriter` writes it. Nothing is allocated per packet.
 */

import { EXTENDED_ERROR, SUBNET_HEADER } from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, MAX_MESSAGE } from '../../dns/wire/header.ts';
import { MAX_NAME } from '../../dns/wire/name.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import { type Client, TRANSPORT } from '../../net/address/client.ts';
import {
  ANSWER_FLAGS_AT,
  ANSWER_OWN_TARGET,
  ANSWER_REPEATS,
  ANSWER_SIGNED,
  ANSWER_STEERED,
  APEX_LENGTH_AT,
  answerOffset,
  HASH_LENGTH,
  hashOffset,
  NAME_LENGTH_AT,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_FLAGS_AT,
  NODE_HAS_BELOW,
  NODE_HEADER,
  NODE_PRESIGNED,
  NODE_SIGNED,
  OTHERWISE,
  signedAnswerOffset,
  steeringOffset,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from '../../store/answers.ts';
import { NO_STATE, Picker, type SteeringState, variantOffset } from '../steering/picker.ts';
import { Chaos } from './chaos.ts';
import { CHANGED, Denial, PROOF, TOO_COSTLY } from './denial.ts';
import type { IndexReader } from './index-reader.ts';
import { FOUND, type Found, Lookup } from './lookup.ts';
import { ResponseOptions } from './options.ts';
import { CLAIM } from './presigned-denial.ts';
import { CHAOS, COOKIE, COOKIE_ONLY, DEFER, LOOK_UP, NOTIFY, Query, SILENCE } from './query.ts';
import { ResponseWriter } from './response-writer.ts';
import { type AnswerSettings, PLAIN } from './settings.ts';
import { Synthesizer } from './synthesize.ts';

/** Maximum bytes of a UDP response without EDNS (RFC 1035 section 4.2.1). */
const MAX_PLAIN_UDP = 512;
/**
 * Returned instead of the response's length: the main thread answers the message, which is
 * unchanged.
 */
export const DEFERRED = -1;

export class Responder {
  readonly #index: IndexReader;
  readonly #udpPayload: number;
  /** The last query, for counters and the query log. */
  readonly query: Query;
  readonly #lookup: Lookup;
  readonly #synthesizer: Synthesizer;
  readonly #response: ResponseWriter;
  readonly #chaos: Chaos;
  readonly #requiresCookies: boolean;
  readonly #denial: Denial;
  readonly #picker: Picker;
  /** Of the last message. */
  #client: Client | null = null;
  /** `*.` and room for a name. */
  readonly #wildcard = Uint8Array.of(1, 0x2a, ...new Uint8Array(MAX_NAME));

  /**
   * `udpPayload`: the maximum bytes of our UDP responses, and the size that OPT announces; at least
   * 512.
   */
  constructor(
    index: IndexReader,
    udpPayload: number,
    settings: AnswerSettings = PLAIN,
    steering: SteeringState = NO_STATE,
  ) {
    this.#index = index;
    this.#udpPayload = udpPayload;
    this.query = new Query(settings.cookies !== 'off');
    this.#lookup = new Lookup(index);
    this.#denial = new Denial(index);
    this.#picker = new Picker(steering);
    const options = new ResponseOptions(index, udpPayload, settings);
    this.#response = new ResponseWriter(index, this.query, options, this.#denial);
    this.#chaos = new Chaos(settings.version, settings.identity);
    this.#requiresCookies = settings.cookies === 'require';
    this.#synthesizer = new Synthesizer(index, this.#lookup, this.#denial);
  }

  /**
   * Answers the packet at bytes[start, start + length) in place; the buffer must have room for the
   * limit. Returns the response's length, 0 for no response, or DEFERRED. Must be called between
   * `index.enter()` and `index.leave()`.
   */
  respond(bytes: Uint8Array, start: number, length: number, client: Client): number {
    const { query } = this;
    const response = this.#response;
    response.setBuffer(bytes);
    this.#client = client;
    const verdict = query.parse(bytes, start, length, this.#index.starts, client.transport);
    if (verdict === SILENCE) return 0;
    if (client.transport !== TRANSPORT.UDP) response.limit = MAX_MESSAGE;
    else if (!query.hasOpt) response.limit = MAX_PLAIN_UDP;
    else response.limit = Math.min(Math.max(query.udpSize, MAX_PLAIN_UDP), this.#udpPayload);
    response.options.prepare(bytes, query, client);
    // A client that supports cookies retries with the cookie of this response (RFC 7873 section
    // 5.2.3).
    if (this.#requiresCookies && query.cookie !== COOKIE.NONE && query.cookie !== COOKIE.VALID)
      if (client.transport === TRANSPORT.UDP && (verdict === LOOK_UP || verdict === CHAOS))
        return response.writeEmpty(RCODE.BADCOOKIE);
    return verdict === LOOK_UP ? this.#answerQuestion() : this.#answerWithoutLookup(verdict);
  }

  #answerQuestion(): number {
    const length = this.#lookUp();
    return length === CHANGED ? this.#answerDisturbed() : length;
  }

  /**
   * Repeats a lookup that a change of the zone has disturbed. While the change is being published,
   * only the store has a state in which names and NSEC3 records agree.
   */
  #answerDisturbed(): number {
    const index = this.#index;
    let length = index.catchUp() ? this.#lookUpAgain() : CHANGED;
    if (length !== CHANGED) return length;
    index.enterStore();
    try {
      length = this.#lookUpAgain();
    } finally {
      index.leaveStore();
    }
    return length === CHANGED ? this.#response.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NOT_READY) : length;
  }

  /** Repeats the lookup. A followed chain has overwritten the labels of the queried name. */
  #lookUpAgain(): number {
    const { query } = this;
    const { bytes } = this.#response;
    const { starts } = this.#index;
    let p = query.start + HEADER_LENGTH;
    for (let label = 0; label < query.labels; label++) {
      starts[label] = p;
      p += bytes[p] + 1;
    }
    starts[query.labels] = p;
    return this.#lookUp();
  }

  #answerWithoutLookup(verdict: number): number {
    const { query } = this;
    const response = this.#response;
    switch (verdict) {
      case DEFER:
        return DEFERRED;
      case NOTIFY:
        // A server without secondary zones is not the intended receiver (RFC 1996 section 3.10).
        return this.#index.hasSecondaries ? DEFERRED : response.writeEmpty(RCODE.NOTAUTH);
      case CHAOS:
        return this.#answerChaos();
      case COOKIE_ONLY:
        return response.writeEmpty(query.cookie === COOKIE.BAD ? RCODE.BADCOOKIE : RCODE.NOERROR);
      case RCODE.NOTIMP:
        return response.writeEmpty(verdict, EXTENDED_ERROR.NOT_SUPPORTED);
      default:
        return response.writeEmpty(verdict);
    }
  }

  /**
   * Returns one record of class CHAOS, NODATA for other types of its name, and REFUSED for unknown
   * or disabled names.
   */
  #answerChaos(): number {
    const { query } = this;
    const response = this.#response;
    const chaos = this.#chaos;
    const record = chaos.find(response.bytes, query.start + HEADER_LENGTH, query.nameEnd);
    if (record === null) return response.writeEmpty(RCODE.REFUSED);
    return response.writeRecord(query.type === TYPE.TXT || query.type === TYPE.ANY ? record : null);
  }

  /**
   * Answers the last message with only a response code and an optional extended error (of
   * EXTENDED_ERROR). For deferred messages that are rejected. Returns the response's length.
   */
  refuse(rcode: number, error?: number): number {
    return this.#response.writeEmpty(rcode, error);
  }

  #lookUp(): number {
    const { query } = this;
    const index = this.#index;
    const lookup = this.#lookup;
    const { labels, nameEnd } = query;
    const { bytes } = this.#response;
    const nodes = index.bytes;
    this.#denial.clear();
    index.hashSuffixes(bytes, nameEnd, labels);
    const found = lookup.find(bytes, nameEnd, labels);
    if (found !== FOUND.NAME) return this.#answerFromEncloser(found, false);
    const { node } = lookup;
    query.account = index.sums[0];
    query.zoneLength = nodes[node + APEX_LENGTH_AT];
    if (index.hasUnavailable && index.isUnavailable(bytes, nameEnd, query.zoneLength)) return this.#fail();
    const isApex = (nodes[node + NODE_FLAGS_AT] & NODE_APEX) !== 0;
    if (query.type !== TYPE.DS || !isApex || answerOffset(nodes, node, TYPE.DS) !== 0) return this.#answerType(node);
    // The DS of our zone belongs to the parent zone (RFC 4035 section 3.1.4.1), if it is also ours.
    const above = lookup.findEncloser(bytes, nameEnd, labels);
    return above === FOUND.NO_ZONE ? this.#answerType(node) : this.#answerFromEncloser(above, true);
  }

  /**
   * Answers for a name that the lookup has not found. `isChild`: it has found the name, but as the
   * apex of a child zone.
   */
  #answerFromEncloser(found: Found, isChild: boolean): number {
    const { query } = this;
    const index = this.#index;
    const response = this.#response;
    const { node, encloser, label } = this.#lookup;
    if (found === FOUND.NO_ZONE) {
      query.account = index.sums[0];
      return response.writeEmpty(RCODE.REFUSED, EXTENDED_ERROR.NOT_AUTHORITATIVE);
    }
    const flags = index.bytes[encloser + NODE_FLAGS_AT];
    query.account = index.sums[label];
    query.zoneLength = index.bytes[encloser + APEX_LENGTH_AT];
    if (index.hasUnavailable && index.isUnavailable(response.bytes, query.nameEnd, query.zoneLength))
      return this.#fail();
    if (found === FOUND.CUT) return this.#refer(node);
    if (found === FOUND.DNAME) return this.#synthesize(node, found);
    const isProven = query.dnssecOk && (flags & NODE_SIGNED) !== 0;
    if (isChild) {
      if (isProven) this.#proveExists(encloser, label);
      return response.writeNegative(encloser, RCODE.NOERROR);
    }
    if (found === FOUND.WILDCARD) {
      if (isProven) this.#proveExpansion(encloser, label);
      return this.#answerType(node, encloser);
    }
    if (isProven) this.#proveMissing(encloser, label);
    if ((flags & NODE_APEX) === 0) query.account = this.#sumOfApex(encloser, label);
    return response.writeNegative(encloser, RCODE.NXDOMAIN);
  }

  /** The zone is a secondary that has expired, or was never transferred. */
  #fail(): number {
    return this.#response.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NOT_READY);
  }

  /** Proves that the queried name exists. `label`: the first of its closest encloser. */
  #proveExists(encloser: number, label: number): void {
    const { bytes } = this.#response;
    const { nameEnd } = this.query;
    const { starts } = this.#index;
    if (this.#isPresigned(encloser)) this.#denial.presigned.add(bytes, starts[0], nameEnd, starts[label], CLAIM.EXISTS);
    else this.#denial.addName(bytes, starts[0], nameEnd, PROOF.MATCH);
  }

  /** Proves that the queried name does not exist, so that a wildcard matches. */
  #proveExpansion(encloser: number, label: number): void {
    const { bytes } = this.#response;
    const { nameEnd } = this.query;
    const { starts } = this.#index;
    if (this.#isPresigned(encloser))
      this.#denial.presigned.add(bytes, starts[0], nameEnd, starts[label], CLAIM.EXPANSION);
    else this.#denial.addName(bytes, starts[label - 1], nameEnd, PROOF.COVER);
  }

  /** Proves that neither the queried name exists nor a wildcard that matches it. */
  #proveMissing(encloser: number, label: number): void {
    const { bytes } = this.#response;
    const { nameEnd } = this.query;
    const { starts, bytes: nodes } = this.#index;
    if (this.#isPresigned(encloser)) {
      this.#denial.presigned.addNameError(bytes, starts[0], nameEnd, starts[label], encloser);
      return;
    }
    // The next closer name, the closest encloser, and the wildcard (RFC 5155 section 7.2.2).
    this.#denial.addName(bytes, starts[label - 1], nameEnd, PROOF.COVER);
    const hash = hashOffset(nodes, encloser);
    this.#denial.addHash(hash, PROOF.MATCH);
    if ((nodes[encloser + NODE_FLAGS_AT] & NODE_HAS_BELOW) !== 0) this.#denial.addHash(hash + HASH_LENGTH, PROOF.COVER);
    else this.#addWildcard(label);
  }

  /** Whether the primary has signed the zone of a node. */
  #isPresigned(node: number): boolean {
    return (this.#index.bytes[node + NODE_FLAGS_AT] & NODE_PRESIGNED) !== 0;
  }

  /**
   * Adds the hash of the wildcard below a name without other names below: of `*.` and the labels
   * from `label` on.
   */
  #addWildcard(label: number): void {
    const { query } = this;
    const wildcard = this.#wildcard;
    const { bytes } = this.#response;
    const from = this.#index.starts[label];
    const length = query.nameEnd - from;
    if (length + 2 > MAX_NAME) return;
    for (let i = 0; i < length; i++) wildcard[2 + i] = bytes[from + i];
    this.#denial.addName(wildcard, 0, length + 2, PROOF.COVER);
  }

  /** NODATA at a node; `encloser`: the node above a wildcard that stands for the queried name. */
  #answerNoData(node: number, encloser = 0): number {
    const nodes = this.#index.bytes;
    const flags = nodes[node + NODE_FLAGS_AT];
    if (this.query.dnssecOk && (flags & NODE_PRESIGNED) !== 0) {
      const { presigned } = this.#denial;
      presigned.addNode(node, CLAIM.EXISTS);
      if (encloser !== 0) presigned.addNode(encloser, CLAIM.ENCLOSER);
    } else if (this.query.dnssecOk && (flags & NODE_SIGNED) !== 0) {
      this.#denial.addHash(hashOffset(nodes, node), PROOF.MATCH);
      // RFC 5155 section 7.2.5.
      if (encloser !== 0) this.#denial.addHash(hashOffset(nodes, encloser), PROOF.MATCH);
    }
    return this.#response.writeNegative(node, RCODE.NOERROR);
  }

  /** The hash sum of the apex above a node whose name starts at `label`. */
  #sumOfApex(node: number, label: number): number {
    const { query } = this;
    const index = this.#index;
    const start = query.nameEnd - index.bytes[node + APEX_LENGTH_AT];
    let apex = label;
    while (index.starts[apex] < start) apex++;
    return index.sums[apex];
  }

  /**
   * Puts an answer together for this query: the name is below a DNAME, may be a nameserver of a
   * zone cut, is an alias of a large RRset, or has additional records that depend on the name.
   */
  #synthesize(node: number, found: Found): number {
    const { query } = this;
    const response = this.#response;
    const limit = response.limit - response.options.length;
    const answer = this.#synthesizer.writeResponse(response.bytes, query, found, node, limit);
    if (answer === CHANGED) return CHANGED;
    if (answer === TOO_COSTLY) return response.writeEmpty(RCODE.SERVFAIL, this.#denial.costError);
    const { end, rcode, flags, truncated, ancount, nscount, arcount } = answer;
    return response.finishAnswer(end, rcode, flags, truncated, ancount, nscount, arcount);
  }

  /** Answers the query's type from an existing node, which may be the wildcard below `encloser`. */
  #answerType(node: number, encloser = 0): number {
    const nodes = this.#index.bytes;
    const flags = nodes[node + NODE_FLAGS_AT];
    let type = this.query.type;
    let answer = 0;
    if ((flags & NODE_DELEGATION) !== 0) {
      answer = answerOffset(this.#index.bytes, node, type === TYPE.DS ? TYPE.DS : OTHERWISE);
      if (answer === 0) return this.#answerNoData(node, encloser);
      return this.#response.writeAnswer(node, answer, RCODE.NOERROR);
    }
    if (type === TYPE.ANY) {
      // One RRset (RFC 8482 section 4.1): the CNAME, or the RRset with the lowest type.
      type = (flags & NODE_CNAME) !== 0 ? TYPE.CNAME : this.#findFirstType(node);
      if (type === OTHERWISE) return this.#answerNoData(node, encloser);
      answer = answerOffset(nodes, node, type);
      if (this.#isSteered(answer)) answer = this.#steer(answer);
      return this.#response.writeAnswer(node, answer, RCODE.NOERROR, true);
    }
    if (type === TYPE.RRSIG && (flags & NODE_SIGNED) !== 0) return this.#answerSignatures(node, encloser);
    answer = answerOffset(this.#index.bytes, node, type);
    if (answer === 0 && (flags & NODE_CNAME) !== 0) {
      // NSEC belongs to the alias itself (RFC 4035 section 2.5). With NSEC3 it has none.
      if (type === TYPE.NSEC && (flags & NODE_PRESIGNED) !== 0) return this.#answerNoData(node, encloser);
      answer = answerOffset(this.#index.bytes, node, OTHERWISE);
    }
    // An offset equal to the node means that the chain must be followed per query.
    if (answer === node) return this.#synthesize(node, FOUND.NAME);
    if (answer === 0 || ((flags & NODE_APEX) !== 0 && type === OTHERWISE)) return this.#answerNoData(node, encloser);
    if (this.#dependsOnName(answer)) return this.#synthesize(node, FOUND.NAME);
    if (this.#isSteered(answer)) answer = this.#steer(answer);
    return this.#response.writeAnswer(node, answer, RCODE.NOERROR);
  }

  #isSteered(answer: number): boolean {
    return (this.#index.bytes[answer + ANSWER_FLAGS_AT] & ANSWER_STEERED) !== 0;
  }

  /** The variant of a steered answer for the client, or for the client subnet of the query. */
  #steer(answer: number): number {
    const { query } = this;
    const picker = this.#picker;
    const { options } = this.#response;
    const { bytes } = this.#index;
    const table = steeringOffset(bytes, answer);
    const client = this.#client!;
    query.isSteered = true;
    const length = options.addressLength(query);
    if (length === 0) return variantOffset(bytes, table, picker.pick(bytes, table, client.address, 0, client.length));
    const variant = picker.pick(bytes, table, options.subnet, SUBNET_HEADER, length);
    options.scope = picker.bits;
    return variantOffset(bytes, table, variant);
  }

  /** Whether the queried name decides which additional records the response has. */
  #dependsOnName(answer: number): boolean {
    const flags = this.#index.bytes[answer + ANSWER_FLAGS_AT];
    if ((flags & (ANSWER_REPEATS | ANSWER_OWN_TARGET)) === 0) return false;
    // A response with signatures has none.
    if (this.query.dnssecOk && (flags & ANSWER_SIGNED) !== 0) return false;
    return (flags & ANSWER_REPEATS) !== 0 || this.#response.excess(answer) > 0;
  }

  /** Refers to the nameservers of a zone cut above the queried name. */
  #refer(cut: number): number {
    const { query } = this;
    const nodes = this.#index.bytes;
    const answer = answerOffset(nodes, cut, OTHERWISE);
    const isSigned = query.dnssecOk && (nodes[answer + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0;
    const excess = isSigned ? 0 : this.#response.excess(answer);
    // The name may be that of a nameserver, or the end of it. Then pointers to the question (RFC
    // 1035 section 4.1.4) replace labels below the cut, which the stored body spells out.
    const below = query.nameEnd - query.start - HEADER_LENGTH - nodes[cut + NAME_LENGTH_AT];
    if (excess > 0 && excess <= below) return this.#synthesize(cut, FOUND.CUT);
    return this.#response.writeAnswer(cut, answer, RCODE.NOERROR);
  }

  /**
   * Answers a query for RRSIG with the signatures of one RRset, as one for ANY: the CNAME, or the
   * signed RRset with the lowest type.
   */
  #answerSignatures(node: number, encloser: number): number {
    const nodes = this.#index.bytes;
    const answer = signedAnswerOffset(nodes, node);
    if (answer !== 0)
      return this.#response.writeSignatures(node, this.#isSteered(answer) ? this.#steer(answer) : answer);
    if (nodes[node + TYPE_COUNT_AT] === 0) return this.#answerNoData(node, encloser);
    // The addresses of an ALIAS that was never resolved: the type map has RRSIG already.
    return this.#response.writeEmpty(RCODE.SERVFAIL, EXTENDED_ERROR.NO_REACHABLE_AUTHORITY);
  }

  #findFirstType(node: number): number {
    const nodes = this.#index.bytes;
    const first = node + NODE_HEADER;
    const type = (nodes[first] << 8) | nodes[first + 1];
    if (nodes[node + TYPE_COUNT_AT] === 0) return OTHERWISE;
    if (nodes[node + TYPE_COUNT_AT] === 1) return type;
    // NSEC goes with other types; only queries that name it want it.
    if (type !== OTHERWISE && type !== TYPE.NSEC) return type;
    return (nodes[first + TYPE_ENTRY] << 8) | nodes[first + TYPE_ENTRY + 1];
  }
}
