/** Records that exist only in compiled nodes: RRSIG, and those that stand for an ALIAS. */
import type { ResourceRecord, RRset } from '../dns/wire/types.ts';
import { RCODE, TYPE } from '../dns/wire/types.ts';
import {
  ANSWER_FLAGS_AT,
  ANSWER_SIGNED,
  answerOffset,
  NODE_CNAME,
  NODE_FLAGS_AT,
  NODE_HEADER,
  NODE_SIGNED,
  OTHERWISE,
  SIGNATURES_LENGTH_AT,
  signaturesOffset,
  signedOffset,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from './answers.ts';
import { expandAnswer, expandSigned } from './expand-answer.ts';

/**
 * Returns the RRSIG records in the node of `name`; empty for an unsigned zone. Signatures of DS at
 * the apex belong to the parent zone and are omitted.
 */
export function signaturesOf(node: Buffer, name: Uint8Array, isApex: boolean): ResourceRecord[] {
  const flags = node[NODE_FLAGS_AT];
  const found: ResourceRecord[] = [];
  if ((flags & NODE_SIGNED) === 0) return found;
  for (let i = 0; i < node[TYPE_COUNT_AT]; i++) {
    const type = node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY);
    // Other types at a CNAME are answers from its target.
    if (type === OTHERWISE || ((flags & NODE_CNAME) !== 0 && type !== TYPE.CNAME)) continue;
    const at = answerOffset(node, 0, type);
    if (at === 0 || (isApex && type === TYPE.DS) || (node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) continue;
    for (const record of expandSigned(node, at, name, name).answer) if (record.type === TYPE.RRSIG) found.push(record);
  }
  return found;
}

/**
 * Returns the RRsets of these types in a node, in their order. They may be older than those that
 * the rows give. Unknown addresses of an ALIAS are omitted.
 */
export function setsOfNode(node: Buffer, name: Uint8Array, types: readonly number[]): RRset[] {
  const sets: RRset[] = [];
  for (const type of types) {
    const at = answerOffset(node, 0, type);
    if (at === 0 || node[at] !== RCODE.NOERROR) continue;
    const records = expandAnswer(node, at, name, name).answer;
    if (records.length > 0) sets.push({ type, ttl: records[0].ttl, rdatas: records.map(({ rdata }) => rdata) });
  }
  return sets;
}

/** Returns the signatures of DS in the node of an apex. They belong to the parent zone. */
export function dsSignaturesOf(node: Buffer | undefined, apex: Uint8Array): ResourceRecord[] {
  const at = node === undefined ? 0 : answerOffset(node, 0, TYPE.DS);
  if (node === undefined || at === 0 || (node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) return [];
  return expandSigned(node, at, apex, apex).answer.filter(({ type }) => type === TYPE.RRSIG);
}

/**
 * Replaces the RRSIG rdata of the SOA in an apex's node, in place. False: the signatures have
 * another layout, so the node must be compiled.
 */
export function replaceSoaSignatures(node: Buffer, rdatas: readonly Uint8Array[]): boolean {
  for (const type of [OTHERWISE, TYPE.SOA]) {
    const at = answerOffset(node, 0, type);
    if (at === 0) return false;
    if ((node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) {
      // Negative answers have no signed part until all names are signed.
      if (type === OTHERWISE) continue;
      return false;
    }
    const part = signedOffset(node, at);
    let p = signaturesOffset(node, part);
    const end = p + node.readUInt16BE(part + SIGNATURES_LENGTH_AT);
    for (const rdata of rdatas) {
      while (p < end && node[p] !== 0 && node[p] < FIRST_POINTER) p += node[p] + 1;
      // The pointer or the root, then type, class, TTL and length.
      p += (node[p] === 0 ? 1 : 2) + 10;
      if (p + rdata.length > end || node.readUInt16BE(p - 2) !== rdata.length) return false;
      node.set(rdata, p);
      p += rdata.length;
    }
    if (p !== end) return false;
  }
  return true;
}

/** Label lengths from this value on are compression pointers (RFC 1035 section 4.1.4). */
const FIRST_POINTER = 0xc0;
