/**
 * The layout of a node: all that one owner name answers, as it lies in the answers table and, byte for byte, in the shared arena.
 * Offsets count from the node's first byte. Multi-byte fields are big-endian.
 *
 *   0  size        u32   of the whole node
 *   4  flags       u8    NODE_*
 *   5  nameLength  u8
 *   6  apexLength  u8    length of the apex of the node's zone, the last bytes of the name
 *   7  typeCount   u8
 *   8  typeCount × { type u16, reserved u16, offset of the answer u32 }, by rising type; type 0 answers every type not named;
 *      offset 0: the name is a CNAME whose chain is walked when this type is asked for, since the answer is too large to be kept at every alias
 *      name, nameLength bytes, lower case
 *      answers
 *
 * An answer:
 *   0  rcode       u8
 *   1  flags       u8    ANSWER_*
 *   2  ancount, nscount, arcount   u16 each
 *   8  bodyLength  u16   what follows the question
 *  10  moves       u16   how many pointers move with the length of the name asked
 *  12  drops       u16   how many additional RRsets may be left out
 *  14  moves × u16       offsets in the body of 14-bit pointers that point into the question's tail or the body
 *      drops × { bodyLength u16, arcount u16 }   what is left after leaving out one more, the last RRset first
 *      body
 *
 * The body is made for a question whose name has `nameLength` bytes. Asked with a longer name (a wildcard, a name below a delegation, a
 * negative answer) the pointers that are listed move by the difference.
 */

import { HEADER_LENGTH } from '../wire/header.ts';
import { TYPE } from '../wire/types.ts';

export const NODE_APEX = 1;
export const NODE_DELEGATION = 2;
export const NODE_DNAME = 4;
/** The name `*.<this name>` is a node. */
export const NODE_HAS_WILDCARD = 8;
export const NODE_CNAME = 16;
/** Names lie below: an answer to a missing name may need this node. */
export const NODE_HAS_BELOW = 32;

/** Type 0 of a node: what answers for a type that the node does not name. */
export const OTHERWISE = 0;

export const ANSWER_AA = 0x04;
/** The SOA of the zone follows the body in the authority section; it is kept at the apex, since it changes with each serial. */
export const ANSWER_NEGATIVE = 0x80;
/** The SOA itself follows the body in the answer section; it is kept at the apex for the same reason. */
export const ANSWER_SOA = 0x40;

/** Addresses that an ALIAS had when its target could last be asked (RFC 8767). Clients are told (RFC 8914 4.4). */
export const ANSWER_STALE = 0x20;

export const NODE_HEADER = 8;
export const TYPE_ENTRY = 8;
export const ANSWER_HEADER = 14;

/** Most bytes of a body: a message has 65,535, less header, question and OPT. */
export const MAX_BODY = 65535 - HEADER_LENGTH - 259 - 11;

/** Most bytes of a node. The admin API bounds what a name may hold so that none is larger; one that came in some other way answers SERVFAIL. */
export const MAX_NODE = 512 * 1024;

export interface Answer {
  readonly rcode: number;
  readonly flags: number;
  readonly ancount: number;
  readonly nscount: number;
  readonly arcount: number;
  readonly moves: readonly number[];
  readonly drops: readonly { readonly bodyLength: number; readonly arcount: number }[];
  readonly body: Uint8Array;
}

/** Offset of a node's answer for a type: 0 when it has none, the node's own when the answer is not kept there. Hot. */
export function answerOffset(nodes: Uint8Array, node: number, type: number): number {
  const count = nodes[node + 7];
  let p = node + NODE_HEADER;
  for (let i = 0; i < count; i++, p += TYPE_ENTRY) {
    if (((nodes[p] << 8) | nodes[p + 1]) === type)
      return node + ((nodes[p + 4] << 24) | (nodes[p + 5] << 16) | (nodes[p + 6] << 8) | nodes[p + 7]);
  }
  return 0;
}

/**
 * Puts another serial into an apex's node, in place: the SOA's own answer and the negative one both end in its rdata, and that in five numbers, the serial first
 * (RFC 1035 3.3.13). False when the node has no such answers.
 */
export function setSerial(node: Buffer, serial: number): boolean {
  for (const type of [OTHERWISE, TYPE.SOA]) {
    const at = answerOffset(node, 0, type);
    const length = at === 0 ? 0 : node.readUInt16BE(at + 8);
    if (length < SOA_NUMBERS) return false;
    const body = at + ANSWER_HEADER + node.readUInt16BE(at + 10) * 2 + node.readUInt16BE(at + 12) * 4;
    node.writeUInt32BE(serial, body + length - SOA_NUMBERS);
  }
  return true;
}

/** Bytes of the five numbers that an SOA's rdata ends in. */
export const SOA_NUMBERS = 20;

/** `answers` by rising type; null: see above, offset 0. */
export function encodeNode(
  flags: number,
  name: Uint8Array,
  apexLength: number,
  answers: readonly [type: number, answer: Answer | null][],
): Buffer {
  let size = NODE_HEADER + answers.length * TYPE_ENTRY + name.length;
  for (const [, answer] of answers) {
    if (answer === null) continue;
    size += ANSWER_HEADER + answer.moves.length * 2 + answer.drops.length * 4 + answer.body.length;
  }
  const node = Buffer.allocUnsafe(size);
  node.writeUInt32BE(size, 0);
  node[4] = flags;
  node[5] = name.length;
  node[6] = apexLength;
  node[7] = answers.length;
  let entry = NODE_HEADER;
  let at = entry + answers.length * TYPE_ENTRY;
  node.set(name, at);
  at += name.length;
  for (const [type, answer] of answers) {
    node.writeUInt16BE(type, entry);
    node.writeUInt16BE(0, entry + 2);
    node.writeUInt32BE(answer === null ? 0 : at, entry + 4);
    entry += TYPE_ENTRY;
    if (answer === null) continue;
    node[at] = answer.rcode;
    node[at + 1] = answer.flags;
    node.writeUInt16BE(answer.ancount, at + 2);
    node.writeUInt16BE(answer.nscount, at + 4);
    node.writeUInt16BE(answer.arcount, at + 6);
    node.writeUInt16BE(answer.body.length, at + 8);
    node.writeUInt16BE(answer.moves.length, at + 10);
    node.writeUInt16BE(answer.drops.length, at + 12);
    at += ANSWER_HEADER;
    for (const move of answer.moves) at = node.writeUInt16BE(move, at);
    for (const drop of answer.drops) {
      at = node.writeUInt16BE(drop.bodyLength, at);
      at = node.writeUInt16BE(drop.arcount, at);
    }
    node.set(answer.body, at);
    at += answer.body.length;
  }
  return node;
}
