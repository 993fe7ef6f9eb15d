/**
 * The layout of a node: the compiled answers of an owner name. The answers table and the shared
 * arena have the same bytes. Offsets count from the node's first byte. Multi-byte fields are
 * big-endian.
 *
 *   0  size        u32   of the whole node
 *   4  flags       u8    NODE_*
 *   5  nameLength  u8
 *   6  apexLength  u8    length of the apex of the node's zone, the last bytes of the name
 *   7  typeCount   u8
 *   8  typeCount × { type u16, reserved u16, offset of the answer u32 }, by ascending type.
 *      Type 0 answers all types without an entry. Offset 0: the name is a CNAME whose chain is
 *      followed per query, since the answer is too large to store at every alias
 *      name, nameLength bytes, lower case
 *      of a signed zone (NODE_SIGNED): NSEC3 hash of the name; with NODE_HAS_BELOW, also the hash
 *      of the wildcard below it. With NODE_PRESIGNED, a byte of DENIAL precedes the hashes, which
 *      exist only with DENIAL.NSEC3; at the apex the parameters follow: iterations u16, salt
 *      length u8, salt
 *      answers
 *
 * An answer:
 *   0  rcode       u8
 *   1  flags       u8    ANSWER_*
 *   2  ancount, nscount, arcount   u16 each
 *   8  bodyLength  u16   bytes after the question
 *  10  moves       u16   number of pointers that depend on the length of the query name
 *  12  drops       u16   number of additional RRsets that may be omitted
 *  14  moves × u16       offsets in the body of 14-bit pointers into the question's tail or
 *      the body
 *      drops × { bodyLength u16, arcount u16 }   the rest after omitting one more RRset, the
 *      last RRset first
 *      body
 *      signed part, if ANSWER_SIGNED
 *
 * For a query with DO, the signed part replaces the end of the body (RFC 4035 section 3.1):
 *   0  kept        u16   bytes of the body that are sent first
 *   2  ancount, nscount, arcount   u16 each: of the response, without the SOA and the proofs
 *   8  signatures  u16   length of the section after the kept part
 *  10  tail        u16   length of the glue after the proofs
 *  12  moves       u16   number of pointers in signatures and tail, as for the body
 *  14  proofs      u16   number of hashes
 *  16  moves × u16       offsets from the first byte of the signatures
 *      proofs × 20       hashes of names: the matching or covering NSEC3 records are sent
 *      signatures
 *      tail
 *
 * A steered answer (ANSWER_STEERED) is preceded by the distance u32 to the table that picks one of
 * its variants for a client (core/store/steering-table.ts). The variants are answers of the same
 * layout, behind the table. The answer itself is the plain choice, for all other uses of the node.
 *
 * The body is compiled for a question whose name has `nameLength` bytes. If the query name is
 * longer (a wildcard, a name below a delegation, a negative answer), the listed pointers are moved
 * by the difference.
 */

import { HEADER_LENGTH, MAX_MESSAGE } from '../dns/wire/header.ts';
import { TYPE } from '../dns/wire/types.ts';
import { ANSWER_COUNT_AT, ANSWER_ENTRY, ANSWERS_AT, VARIANT_AT } from './steering-table.ts';

export const NODE_APEX = 1;
export const NODE_DELEGATION = 2;
export const NODE_DNAME = 4;
/** The wildcard `*.<this name>` exists. */
export const NODE_HAS_WILDCARD = 8;
export const NODE_CNAME = 16;
/** Names exist below this name. Answers for missing names may need this node. */
export const NODE_HAS_BELOW = 32;

/** The zone is signed: hashes follow the name. */
export const NODE_SIGNED = 64;

/**
 * The zone was signed by its primary, which also chose the denial: a byte of DENIAL follows the
 * name.
 */
export const NODE_PRESIGNED = 128;
/** Denial of existence in a presigned zone: none, NSEC or NSEC3. */
export const DENIAL = { NONE: 0, NSEC: 1, NSEC3: 2 } as const;

/** Type 0: the answer for all types without an entry. */
export const OTHERWISE = 0;

export const ANSWER_AA = 0x04;
/**
 * The SOA of the zone follows the body in the authority section. It is stored at the apex, since
 * every serial changes it.
 */
export const ANSWER_NEGATIVE = 0x80;
/**
 * The SOA follows the body in the answer section. It is stored at the apex, since every serial
 * changes it.
 */
export const ANSWER_SOA = 0x40;

/**
 * Stale addresses of an ALIAS whose target cannot be resolved (RFC 8767). Responses report this
 * (RFC 8914 section 4.4).
 */
export const ANSWER_STALE = 0x20;

/**
 * A signed part follows the body. An RRset that is too large and answered with SERVFAIL also has a
 * signed part: transfers need its signatures.
 */
export const ANSWER_SIGNED = 0x10;

/**
 * A wildcard answer with additional RRsets of the query name, and of a name that the wildcard also
 * matches or of the wildcard's own name. A query for that name would get the RRset twice, so the
 * additional section is composed per query.
 */
export const ANSWER_REPEATS = 0x08;

/**
 * A wildcard answer with additional RRsets of a name that the wildcard also matches, or of the
 * wildcard's own name. In a response to a query for that name, their owner is a pointer to the
 * question (RFC 1035 section 4.1.4); the stored body has it in full. A response that does not fit
 * is composed per query.
 */
export const ANSWER_OWN_TARGET = 0x02;

/**
 * One of several variants answers, which depends on the client. The answer is the plain choice: a
 * query never gets it.
 */
export const ANSWER_STEERED = 0x01;

/** Offsets in a node; the types follow at NODE_HEADER, each in TYPE_ENTRY bytes. */
export const NODE_FLAGS_AT = 4;
export const NAME_LENGTH_AT = 5;
export const APEX_LENGTH_AT = 6;
export const TYPE_COUNT_AT = 7;
export const NODE_HEADER = 8;
export const TYPE_ENTRY = 8;
/** Offset in a type's entry. */
export const TYPE_ANSWER_AT = 4;

/**
 * Offsets in an answer; the response code is its first byte, and the moves follow at ANSWER_HEADER.
 */
export const ANSWER_FLAGS_AT = 1;
export const ANCOUNT_AT = 2;
export const NSCOUNT_AT = 4;
export const ARCOUNT_AT = 6;
export const BODY_LENGTH_AT = 8;
export const MOVE_COUNT_AT = 10;
export const DROP_COUNT_AT = 12;
export const ANSWER_HEADER = 14;
export const MOVE_ENTRY = 2;
export const DROP_ENTRY = 4;
/** Offset in a drop's entry. */
export const DROP_ARCOUNT_AT = 2;

/** Offsets in a signed part; the moves follow at SIGNED_HEADER. */
export const SIGNED_ANCOUNT_AT = 2;
export const SIGNED_NSCOUNT_AT = 4;
export const SIGNED_ARCOUNT_AT = 6;
export const SIGNATURES_LENGTH_AT = 8;
export const TAIL_LENGTH_AT = 10;
export const SIGNED_MOVES_AT = 12;
export const PROOF_COUNT_AT = 14;
export const SIGNED_HEADER = 16;
/** Bytes of an NSEC3 hash: SHA-1 (RFC 5155 section 11). */
export const HASH_LENGTH = 20;

/** Maximum bytes of a body with optional records: a message without header, question and OPT. */
export const MAX_BODY = MAX_MESSAGE - HEADER_LENGTH - 259 - 11;

/** Maximum bytes of a node. Answers that do not fit are replaced by SERVFAIL. */
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
  /** Undefined: the zone is not signed, or there is nothing to sign. */
  readonly signed?: SignedPart;
  /** Undefined: all clients get this answer. */
  readonly steering?: AnswerSteering;
}

export interface AnswerSteering {
  /** See steering-table.ts, with the index in `variants` as the offset of each answer. */
  readonly table: Buffer;
  readonly variants: readonly Answer[];
}

/** The part for queries with DO; the layout is above. */
export interface SignedPart {
  readonly kept: number;
  readonly ancount: number;
  readonly nscount: number;
  readonly arcount: number;
  readonly moves: readonly number[];
  readonly proofs: readonly Uint8Array[];
  readonly signatures: Uint8Array;
  readonly tail: Uint8Array;
}

/**
 * Offset of a node's answer for a type. 0: the node has no entry for it. `node`: the entry has
 * offset 0, as the chain is followed per query. Hot.
 */
export function answerOffset(nodes: Uint8Array, node: number, type: number): number {
  const count = nodes[node + TYPE_COUNT_AT];
  let p = node + NODE_HEADER;
  for (let i = 0; i < count; i++, p += TYPE_ENTRY) {
    if (((nodes[p] << 8) | nodes[p + 1]) !== type) continue;
    const at = p + TYPE_ANSWER_AT;
    return node + ((nodes[at] << 24) | (nodes[at + 1] << 16) | (nodes[at + 2] << 8) | nodes[at + 3]);
  }
  return 0;
}

export const uint16 = (nodes: Uint8Array, at: number): number => (nodes[at] << 8) | nodes[at + 1];

/** Offset of a node's name. Hot. */
export const nameOffset = (nodes: Uint8Array, node: number): number =>
  node + NODE_HEADER + nodes[node + TYPE_COUNT_AT] * TYPE_ENTRY;

/** Offset of an answer's body. */
export const bodyOffset = (nodes: Uint8Array, answer: number): number =>
  answer +
  ANSWER_HEADER +
  uint16(nodes, answer + MOVE_COUNT_AT) * MOVE_ENTRY +
  uint16(nodes, answer + DROP_COUNT_AT) * DROP_ENTRY;

/**
 * Replaces the serial in an apex's node, in place. The SOA answer and the negative answer both end
 * with the SOA rdata, which ends with five numbers, the serial first (RFC 1035 section 3.3.13).
 * False: the node has no such answers.
 */
export function setSerial(node: Buffer, serial: number): boolean {
  for (const type of [OTHERWISE, TYPE.SOA]) {
    const at = answerOffset(node, 0, type);
    const length = at === 0 ? 0 : node.readUInt16BE(at + BODY_LENGTH_AT);
    if (length < SOA_NUMBERS) return false;
    node.writeUInt32BE(serial, bodyOffset(node, at) + length - SOA_NUMBERS);
  }
  return true;
}

/** Bytes of the five numbers at the end of the SOA rdata. */
export const SOA_NUMBERS = 20;

/**
 * `answers`: by ascending type; null: offset 0 in the layout above. `hashes`: the bytes after the
 * name if `flags` has NODE_SIGNED.
 */
export function encodeNode(
  flags: number,
  name: Uint8Array,
  apexLength: number,
  answers: readonly [type: number, answer: Answer | null][],
  hashes: Uint8Array = NO_BYTES,
): Buffer {
  let size = NODE_HEADER + answers.length * TYPE_ENTRY + name.length + hashes.length;
  /** A steered CNAME answers several types: it is written once. */
  const steered = new Map<Answer, number>();
  for (const [, answer] of answers) {
    if (answer === null || steered.has(answer)) continue;
    size += sizeOfAnswer(answer);
    if (answer.steering === undefined) continue;
    steered.set(answer, 0);
    size += answer.steering.table.length + STEERING_DISTANCE;
    for (const variant of answer.steering.variants) size += sizeOfAnswer(variant);
  }
  const node = Buffer.allocUnsafe(size);
  node.writeUInt32BE(size, 0);
  node[NODE_FLAGS_AT] = flags;
  node[NAME_LENGTH_AT] = name.length;
  node[APEX_LENGTH_AT] = apexLength;
  node[TYPE_COUNT_AT] = answers.length;
  let entry = NODE_HEADER;
  let at = entry + answers.length * TYPE_ENTRY;
  node.set(name, at);
  at += name.length;
  node.set(hashes, at);
  at += hashes.length;
  for (const [type, answer] of answers) {
    const written = (answer !== null && steered.get(answer)) || 0;
    if (written === 0 && answer?.steering !== undefined) {
      at = writeSteering(node, at, answer.steering);
      steered.set(answer, at);
    }
    node.writeUInt16BE(type, entry);
    node.writeUInt16BE(0, entry + 2);
    node.writeUInt32BE(answer === null ? 0 : written || at, entry + TYPE_ANSWER_AT);
    entry += TYPE_ENTRY;
    if (answer !== null && written === 0) at = writeAnswer(node, at, answer);
  }
  return node;
}

function sizeOfAnswer({ moves, drops, body, signed }: Answer): number {
  const size = ANSWER_HEADER + moves.length * MOVE_ENTRY + drops.length * DROP_ENTRY + body.length;
  return signed === undefined ? size : size + signedSize(signed);
}

/** Returns the offset after the answer. */
function writeAnswer(node: Buffer, from: number, answer: Answer): number {
  let at = from;
  node[at] = answer.rcode;
  node[at + ANSWER_FLAGS_AT] =
    answer.flags |
    (answer.signed === undefined ? 0 : ANSWER_SIGNED) |
    (answer.steering === undefined ? 0 : ANSWER_STEERED);
  node.writeUInt16BE(answer.ancount, at + ANCOUNT_AT);
  node.writeUInt16BE(answer.nscount, at + NSCOUNT_AT);
  node.writeUInt16BE(answer.arcount, at + ARCOUNT_AT);
  node.writeUInt16BE(answer.body.length, at + BODY_LENGTH_AT);
  node.writeUInt16BE(answer.moves.length, at + MOVE_COUNT_AT);
  node.writeUInt16BE(answer.drops.length, at + DROP_COUNT_AT);
  at += ANSWER_HEADER;
  for (const move of answer.moves) at = node.writeUInt16BE(move, at);
  for (const drop of answer.drops) {
    at = node.writeUInt16BE(drop.bodyLength, at);
    at = node.writeUInt16BE(drop.arcount, at);
  }
  node.set(answer.body, at);
  at += answer.body.length;
  return answer.signed === undefined ? at : writeSigned(node, at, answer.signed);
}

/** Bytes before a steered answer. */
const STEERING_DISTANCE = 4;

/** Writes the table and the variants of an answer. Returns the offset after them. */
function writeSteering(node: Buffer, from: number, { table, variants }: AnswerSteering): number {
  node.set(table, from);
  let at = from + table.length;
  const offsets = variants.map((variant) => {
    const offset = at - from;
    at = writeAnswer(node, at, variant);
    return offset;
  });
  for (let i = 0, p = from + table.readUInt16BE(ANSWERS_AT) + VARIANT_AT; i < table[ANSWER_COUNT_AT]; i++) {
    node.writeUInt32BE(offsets[node.readUInt32BE(p)], p);
    p += ANSWER_ENTRY;
  }
  return node.writeUInt32BE(at + STEERING_DISTANCE - from, at);
}

/** Offset of the table of a steered answer. Hot. */
export const steeringOffset = (nodes: Uint8Array, answer: number): number =>
  answer - ((nodes[answer - 4] << 24) | (nodes[answer - 3] << 16) | (nodes[answer - 2] << 8) | nodes[answer - 1]);

const NO_BYTES = new Uint8Array(0);

function signedSize({ moves, proofs, signatures, tail }: SignedPart): number {
  return SIGNED_HEADER + moves.length * MOVE_ENTRY + proofs.length * HASH_LENGTH + signatures.length + tail.length;
}

function writeSigned(node: Buffer, from: number, part: SignedPart): number {
  const { kept, ancount, nscount, arcount, moves, proofs, signatures, tail } = part;
  let at = from;
  for (const value of [kept, ancount, nscount, arcount, signatures.length, tail.length, moves.length, proofs.length])
    at = node.writeUInt16BE(value, at);
  for (const move of moves) at = node.writeUInt16BE(move, at);
  for (const bytes of [...proofs, signatures, tail]) {
    node.set(bytes, at);
    at += bytes.length;
  }
  return at;
}

/**
 * Offset of the answer whose signatures are returned for RRSIG queries: the CNAME, or the signed
 * RRset with the lowest type. 0: nothing at the name is signed. Hot.
 */
export function signedAnswerOffset(nodes: Uint8Array, node: number): number {
  if ((nodes[node + NODE_FLAGS_AT] & NODE_CNAME) !== 0) {
    const alias = answerOffset(nodes, node, TYPE.CNAME);
    return hasSignatures(nodes, alias) ? alias : 0;
  }
  const count = nodes[node + TYPE_COUNT_AT];
  for (let i = 0, p = node + NODE_HEADER; i < count; i++, p += TYPE_ENTRY) {
    const type = uint16(nodes, p);
    if (type === OTHERWISE) continue;
    const at = p + TYPE_ANSWER_AT;
    const answer = node + ((nodes[at] << 24) | (nodes[at + 1] << 16) | (nodes[at + 2] << 8) | nodes[at + 3]);
    if (hasSignatures(nodes, answer)) return answer;
  }
  return 0;
}

/** The signatures of a presigned zone may be missing. */
function hasSignatures(nodes: Uint8Array, answer: number): boolean {
  if ((nodes[answer + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) return false;
  return uint16(nodes, signedOffset(nodes, answer) + SIGNATURES_LENGTH_AT) > 0;
}

/**
 * Whether all NSEC3 records of a zone exist: see ZoneSigner. `apex`: offset of the node of its
 * apex.
 */
export function isProven(nodes: Uint8Array, apex: number): boolean {
  const negative = answerOffset(nodes, apex, OTHERWISE);
  return negative === 0 || (nodes[negative + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0;
}

/** Offset of an answer's signed part. */
export const signedOffset = (nodes: Uint8Array, answer: number): number =>
  bodyOffset(nodes, answer) + uint16(nodes, answer + BODY_LENGTH_AT);

/** Offset of the hashes of a signed part's proofs. */
export const proofsOffset = (nodes: Uint8Array, part: number): number =>
  part + SIGNED_HEADER + uint16(nodes, part + SIGNED_MOVES_AT) * MOVE_ENTRY;

/** Offset of the signatures of a signed part; its tail follows them. */
export const signaturesOffset = (nodes: Uint8Array, part: number): number =>
  proofsOffset(nodes, part) + uint16(nodes, part + PROOF_COUNT_AT) * HASH_LENGTH;

/** Offset of the NSEC3 hash of the node's name; the hash of the wildcard below it follows. Hot. */
export const hashOffset = (nodes: Uint8Array, node: number): number =>
  nameOffset(nodes, node) + nodes[node + NAME_LENGTH_AT];
