/**
 * Encodes address queries to a recursive resolver, and reads the responses. dns-packet is not used:
 * its names are text, where a dot inside a label looks like a separator. A customer's target could
 * turn into another name.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';
import { questionEnd } from '../../dns/wire/bare-response.ts';
import { OPT_LENGTH, PLAIN_OPT } from '../../dns/wire/edns.ts';
import { AA, HEADER_LENGTH, QR, TC } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { equalNames, LOWER, type Name, nameAt, nameId } from '../../dns/wire/name.ts';
import { CLASS_IN, MAX_SOURCES, RCODE, TYPE } from '../../dns/wire/types.ts';

const RD = 0x01;
const RA = 0x80;
/** Mask for byte 2 of the header. */
const QR_AND_OPCODE = 0xf8;
/** TTLs with the top bit set count as 0 (RFC 2181 section 8). */
const MAX_TTL = 0x7fffffff;
/**
 * Seconds for which a negative answer without an SOA is cached (RFC 2308 section 5 has no default).
 */
const NEGATIVE_TTL = 30;

export interface Question {
  readonly id: number;
  /** In lower case. */
  readonly name: Name;
  /**
   * The name as sent, in random case. Servers repeat the case, and an off-path attacker has to
   * guess it (draft-vixie-dnsext-dns0x20).
   */
  readonly sent: Uint8Array;
  /** TYPE.A or TYPE.AAAA. */
  readonly type: number;
}

/** The target of a CNAME in the chain, and the minimum TTL of the chain so far, in seconds. */
interface ChainStep {
  readonly name: Name;
  readonly ttl: number;
}

export type Outcome =
  /** `addresses`: rdata of the queried type. `ttl`: the minimum of the chain, in seconds. */
  | {
      readonly kind: 'addresses';
      readonly addresses: readonly Uint8Array[];
      readonly ttl: number;
      readonly chain: readonly ChainStep[];
    }
  /**
   * The last name of the chain does not exist or has no such address. `ttl`: seconds to cache that.
   */
  | { readonly kind: 'none'; readonly missing: boolean; readonly ttl: number; readonly chain: readonly ChainStep[] }
  | { readonly kind: 'failed'; readonly error: string };

export type Reply =
  /** Not a response to this question. */
  | { readonly kind: 'other' }
  /**
   * The name differs in case only: the server does not preserve case, or the response is forged.
   */
  | { readonly kind: 'other-case' }
  | { readonly kind: 'truncated' }
  /** The server does not support EDNS (RFC 6891 section 7). */
  | { readonly kind: 'no-edns' }
  | { readonly kind: 'outcome'; readonly outcome: Outcome };

export function newQuestion(name: Name, type: number): Question {
  return { id: randomInt(0x10000), name, sent: inRandomCase(name), type };
}

/** Length bytes are below the letters in ASCII, so they need no special case. */
function inRandomCase(name: Name): Uint8Array {
  const coins = randomBytes(name.length);
  return name.map((c, i) => (c >= 0x61 && c <= 0x7a && (coins[i] & 1) === 1 ? c - 0x20 : c));
}

export function encodeQuestion({ id, sent, type }: Question, edns: boolean): Buffer {
  const query = Buffer.alloc(HEADER_LENGTH + sent.length + 4 + (edns ? OPT_LENGTH : 0));
  query.writeUInt16BE(id, 0);
  query[2] = RD;
  query.writeUInt16BE(1, 4);
  query.set(sent, HEADER_LENGTH);
  let at = query.writeUInt16BE(type, HEADER_LENGTH + sent.length);
  at = query.writeUInt16BE(CLASS_IN, at);
  if (edns) {
    query.writeUInt16BE(1, 10);
    query.set(PLAIN_OPT, at);
  }
  return query;
}

/**
 * Never throws. `anyCase`: the transport prevents forgery, so the case of the name is not compared.
 */
export function readReply(message: Buffer, question: Question, anyCase = false): Reply {
  const { id, name, sent, type } = question;
  if (message.length < HEADER_LENGTH || message.readUInt16BE(0) !== id || (message[2] & QR_AND_OPCODE) !== QR)
    return OTHER;
  const rcode = message[3] & 15;
  // Servers that do not understand a message may return its header alone.
  if (message.readUInt16BE(4) === 0 && (rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP)) return { kind: 'no-edns' };
  const end = questionEnd(message);
  if (end !== HEADER_LENGTH + sent.length + 4) return OTHER;
  const echoed = message.subarray(HEADER_LENGTH, end - 4);
  const isOurs =
    equalNames(
      echoed.map((c) => LOWER[c]),
      name,
    ) &&
    message.readUInt16BE(end - 4) === type &&
    message.readUInt16BE(end - 2) === CLASS_IN;
  if (!isOurs) return OTHER;
  if (!anyCase && !equalNames(echoed, sent)) return { kind: 'other-case' };
  if ((message[2] & TC) !== 0) return { kind: 'truncated' };
  if (rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP) return { kind: 'no-edns' };
  try {
    return { kind: 'outcome', outcome: readOutcome(message, end, question) };
  } catch (error) {
    if (error instanceof InvalidError) return failed('the resolver sent a malformed response');
    throw error;
  }
}

const OTHER: Reply = { kind: 'other' };

const failed = (error: string): Reply => ({ kind: 'outcome', outcome: { kind: 'failed', error } });

function readOutcome(message: Buffer, start: number, { name, type }: Question): Outcome {
  const rcode = message[3] & 15;
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)
    return { kind: 'failed', error: `the resolver returned ${rcodeName(rcode)}` };
  const { addresses, ttl, chain, isEndless, soaTtl, isReferral } = readSections(message, start, name, type);
  // A CNAME loop, or a chain that is too long, is not a negative answer.
  if (isEndless) return { kind: 'failed', error: 'the target is a loop, or has too many CNAMEs' };
  if (rcode === RCODE.NOERROR && addresses.length > 0) return { kind: 'addresses', addresses, ttl, chain };
  const isAuthoritativeOrRecursive = (message[2] & AA) !== 0 || (message[3] & RA) !== 0;
  if (!isAuthoritativeOrRecursive || (isReferral && rcode === RCODE.NOERROR && (message[2] & AA) === 0))
    return { kind: 'failed', error: 'the resolver does not offer recursion' };
  return { kind: 'none', missing: rcode === RCODE.NXDOMAIN, ttl: Math.min(ttl, soaTtl ?? NEGATIVE_TTL), chain };
}

interface Sections {
  readonly addresses: Uint8Array[];
  readonly ttl: number;
  readonly chain: ChainStep[];
  /** The chain is a loop or exceeds MAX_SOURCES. */
  readonly isEndless: boolean;
  /** Null: no SOA in the authority section. */
  readonly soaTtl: number | null;
  /** NS in the authority section and no SOA. */
  readonly isReferral: boolean;
}

/** Throws InvalidError if the message has fewer records than its header counts. */
function readSections(message: Buffer, start: number, name: Name, type: number): Sections {
  const aliases = new Map<string, { target: Name; ttl: number }>();
  const found = new Map<string, { rdatas: Uint8Array[]; ttl: number }>();
  const reader = new MessageReader(message, start);
  let soaTtl: number | null = null;
  let hasNs = false;
  for (let i = message.readUInt16BE(6); i > 0; i--) {
    const record = reader.record();
    if (record.class !== CLASS_IN) continue;
    const id = nameId(record.name);
    const ttl = capped(record.ttl);
    if (record.type === TYPE.CNAME) {
      if (!aliases.has(id)) aliases.set(id, { target: onlyName(record.rdata), ttl });
    } else if (record.type === type) {
      if (record.rdata.length !== (type === TYPE.A ? 4 : 16)) throw malformed();
      const set = found.get(id) ?? { rdatas: [], ttl: MAX_TTL };
      set.rdatas.push(record.rdata);
      set.ttl = Math.min(set.ttl, ttl);
      found.set(id, set);
    }
  }
  for (let i = message.readUInt16BE(8); i > 0; i--) {
    const { type: held, class: qclass, ttl, rdata } = reader.record();
    if (qclass !== CLASS_IN) continue;
    hasNs ||= held === TYPE.NS;
    // Two names and five 32-bit numbers; MINIMUM is the last (RFC 1035 3.3.13).
    if (held === TYPE.SOA && rdata.length < 22) throw malformed();
    if (held === TYPE.SOA) soaTtl = Math.min(capped(ttl), capped(Buffer.from(rdata).readUInt32BE(rdata.length - 4)));
  }
  const chain: ChainStep[] = [];
  let ttl = MAX_TTL;
  let id = nameId(name);
  for (let alias = aliases.get(id); alias !== undefined && chain.length < MAX_SOURCES; alias = aliases.get(id)) {
    ttl = Math.min(ttl, alias.ttl);
    chain.push({ name: alias.target, ttl });
    id = nameId(alias.target);
  }
  const last = found.get(id);
  return {
    addresses: last?.rdatas ?? [],
    ttl: Math.min(ttl, last?.ttl ?? MAX_TTL),
    chain,
    isEndless: aliases.has(id),
    soaTtl,
    isReferral: hasNs && soaTtl === null,
  };
}

/** The target in the rdata of a CNAME. MessageReader has decompressed it. */
function onlyName(rdata: Uint8Array): Name {
  // MessageReader has checked that rdata, unless empty, starts with a complete name.
  if (rdata.length === 0 || nameAt(rdata, 0).length !== rdata.length) throw malformed();
  return rdata;
}

const malformed = (): InvalidError =>
  new InvalidError('malformed_message', 'The data of a record does not match its type.');

const capped = (ttl: number): number => (ttl > MAX_TTL ? 0 : ttl);

function rcodeName(rcode: number): string {
  return Object.entries(RCODE).find(([, number]) => number === rcode)?.[0] ?? `RCODE ${rcode}`;
}
