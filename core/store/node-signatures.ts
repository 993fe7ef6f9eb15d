/** Records of a name that only its node has: RRSIG, and the addresses that an ALIAS stands for. */
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
 * The signatures over the RRsets of `name`, whose node it is. Nothing for an unsigned zone. Those
 * over the DS at the apex are the parent zone's, and not among them.
 */
export function signaturesOf(node: Buffer, name: Uint8Array, isApex: boolean): ResourceRecord[] {
  const flags = node[NODE_FLAGS_AT];
  const found: ResourceRecord[] = [];
  if ((flags & NODE_SIGNED) === 0) return found;
  for (let i = 0; i < node[TYPE_COUNT_AT]; i++) {
    const type = node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY);
    // The other types of an alias are those of its target.
    if (type === OTHERWISE || ((flags & NODE_CNAME) !== 0 && type !== TYPE.CNAME)) continue;
    const at = answerOffset(node, 0, type);
    if (at === 0 || (isApex && type === TYPE.DS) || (node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) continue;
    for (const record of expandSigned(node, at, name, name).answer) if (record.type === TYPE.RRSIG) found.push(record);
  }
  return found;
}

/**
 * The addresses that the node of an ALIAS answers, which may be older than those of its target. By
 * rising type; none that are not known.
 */
export function addressesOf(node: Buffer, name: Uint8Array): RRset[] {
  const sets: RRset[] = [];
  for (const type of [TYPE.A, TYPE.AAAA]) {
    const at = answerOffset(node, 0, type);
    if (at === 0 || node[at] !== RCODE.NOERROR) continue;
    const records = expandAnswer(node, at, name, name).answer;
    if (records.length > 0) sets.push({ type, ttl: records[0].ttl, rdatas: records.map(({ rdata }) => rdata) });
  }
  return sets;
}

/** The signatures over the DS in the node of an apex. They are those of the enclosing zone. */
export function dsSignaturesOf(node: Buffer | undefined, apex: Uint8Array): ResourceRecord[] {
  const at = node === undefined ? 0 : answerOffset(node, 0, TYPE.DS);
  if (node === undefined || at === 0 || (node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) return [];
  return expandSigned(node, at, apex, apex).answer.filter(({ type }) => type === TYPE.RRSIG);
}

/**
 * Replaces the RRSIG rdata over the SOA in an apex's node, in place. False: the node has other
 * signatures, and must be compiled.
 */
export function replaceSoaSignatures(node: Buffer, rdatas: readonly Uint8Array[]): boolean {
  for (const type of [OTHERWISE, TYPE.SOA]) {
    const at = answerOffset(node, 0, type);
    if (at === 0) return false;
    if ((node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) {
      // Negative answers are not signed before all names are.
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

/** A length of a label from here on is the first byte of a compression pointer. */
const FIRST_POINTER = 0xc0;
