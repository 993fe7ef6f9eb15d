/**
 * Queries for addresses to a recursive resolver, and what its responses say. By hand and not by dns-packet, which has names as text in which a dot inside
 * of a label can't be told from one between labels: what a customer writes as a target must not turn into another name on the way.
 */
import { randomInt } from 'node:crypto';
import { equalNames, LOWER, MAX_NAME, type Name, nameId } from '../wire/name.ts';
import { CLASS_IN, MAX_SOURCES, RCODE, TYPE } from '../wire/types.ts';

const HEADER = 12;
const QR = 0x80;
const AA = 0x04;
const TC = 0x02;
const RD = 0x01;
const RA = 0x80;
/** What fits every path without fragments. */
const UDP_SIZE = 1232;
/** TTLs with the top bit set count as 0 (RFC 2181 section 8). */
const MAX_TTL = 0x7fffffff;
/** A name has at most 127 labels, and hardly a pointer leads to another one. Without a bound one message might have millions followed. */
const MAX_POINTERS = 128;
/** Seconds for which "no" is believed when its answer does not say how long (RFC 2308 section 5 has no default). */
const NEGATIVE_TTL = 30;

export interface Question {
  readonly id: number;
  readonly name: Name;
  /** TYPE.A or TYPE.AAAA. */
  readonly type: number;
}

/** A name that the chain went on to, and the least TTL up to there in seconds. */
export interface ChainStep {
  readonly name: Name;
  readonly ttl: number;
}

export type Outcome =
  /** `addresses`: rdata of the type asked; `ttl`: the least of the chain, seconds. */
  | {
      readonly kind: 'addresses';
      readonly addresses: readonly Uint8Array[];
      readonly ttl: number;
      readonly chain: readonly ChainStep[];
    }
  /** The last name of the chain does not exist or has no such address. `ttl`: for how long that is said to hold. */
  | { readonly kind: 'none'; readonly missing: boolean; readonly ttl: number; readonly chain: readonly ChainStep[] }
  | { readonly kind: 'failed'; readonly error: string };

export type Reply =
  /** Not the response to this question. */
  | { readonly kind: 'other' }
  | { readonly kind: 'truncated' }
  /** The server knows no EDNS (RFC 6891 section 7). */
  | { readonly kind: 'no-edns' }
  | { readonly kind: 'outcome'; readonly outcome: Outcome };

export function newQuestion(name: Name, type: number): Question {
  return { id: randomInt(0x10000), name, type };
}

export function encodeQuestion({ id, name, type }: Question, edns: boolean): Buffer {
  const query = Buffer.alloc(HEADER + name.length + 4 + (edns ? 11 : 0));
  query.writeUInt16BE(id, 0);
  query[2] = RD;
  query.writeUInt16BE(1, 4);
  query.set(name, HEADER);
  let at = query.writeUInt16BE(type, HEADER + name.length);
  at = query.writeUInt16BE(CLASS_IN, at);
  if (edns) {
    query.writeUInt16BE(1, 10);
    query.writeUInt16BE(TYPE.OPT, at + 1);
    query.writeUInt16BE(UDP_SIZE, at + 3);
  }
  return query;
}

/** Never throws. */
export function readReply(message: Buffer, question: Question): Reply {
  if (message.length < HEADER || message.readUInt16BE(0) !== question.id || (message[2] & QR) === 0) return OTHER;
  const rcode = message[3] & 15;
  // Servers that don't understand a message may send its header back alone.
  if (message.readUInt16BE(4) === 0 && (rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP)) return { kind: 'no-edns' };
  try {
    const asked = readName(message, HEADER);
    const isOurs =
      message.readUInt16BE(4) === 1 &&
      equalNames(asked.name, question.name) &&
      message.readUInt16BE(asked.end) === question.type &&
      message.readUInt16BE(asked.end + 2) === CLASS_IN;
    if (!isOurs) return OTHER;
    if ((message[2] & TC) !== 0) return { kind: 'truncated' };
    if (rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP) return { kind: 'no-edns' };
    return { kind: 'outcome', outcome: readOutcome(message, asked.end + 4, question) };
  } catch (error) {
    if (error instanceof RangeError) return failed('the resolver sent a malformed response');
    throw error;
  }
}

const OTHER: Reply = { kind: 'other' };

const failed = (error: string): Reply => ({ kind: 'outcome', outcome: { kind: 'failed', error } });

function readOutcome(message: Buffer, start: number, { name, type }: Question): Outcome {
  const rcode = message[3] & 15;
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)
    return { kind: 'failed', error: `the resolver answered ${rcodeName(rcode)}` };
  const { addresses, ttl, chain, isEndless, soaTtl, isReferral } = readSections(message, start, name, type);
  // Whoever goes on through names that come again, or through more than anybody follows, has not said that there is nothing.
  if (isEndless) return { kind: 'failed', error: 'the target leads in a circle, or through too many names' };
  if (rcode === RCODE.NOERROR && addresses.length > 0) return { kind: 'addresses', addresses, ttl, chain };
  const isFromSomebodyWhoKnows = (message[2] & AA) !== 0 || (message[3] & RA) !== 0;
  if (!isFromSomebodyWhoKnows || (isReferral && rcode === RCODE.NOERROR && (message[2] & AA) === 0))
    return { kind: 'failed', error: 'the resolver does not resolve names for us' };
  return { kind: 'none', missing: rcode === RCODE.NXDOMAIN, ttl: Math.min(ttl, soaTtl ?? NEGATIVE_TTL), chain };
}

interface Sections {
  readonly addresses: Uint8Array[];
  readonly ttl: number;
  readonly chain: ChainStep[];
  /** It goes on. */
  readonly isEndless: boolean;
  /** Null: no SOA in the authority section. */
  readonly soaTtl: number | null;
  /** NS in the authority section and no SOA. */
  readonly isReferral: boolean;
}

/** Throws RangeError when the message does not hold what it counts. */
function readSections(message: Buffer, start: number, asked: Name, type: number): Sections {
  const aliases = new Map<string, { target: Name; ttl: number }>();
  const found = new Map<string, { rdatas: Uint8Array[]; ttl: number }>();
  let at = start;
  const answers = message.readUInt16BE(6);
  const authorities = message.readUInt16BE(8);
  let soaTtl: number | null = null;
  let hasNs = false;
  for (let i = 0; i < answers + authorities; i++) {
    const record = readRecord(message, at);
    at = record.end;
    if (record.class !== CLASS_IN) continue;
    if (i >= answers) {
      hasNs ||= record.type === TYPE.NS;
      if (record.type === TYPE.SOA)
        soaTtl = record.length < 20 ? 0 : Math.min(record.ttl, capped(message.readUInt32BE(record.end - 4)));
      continue;
    }
    const id = nameId(record.name);
    if (record.type === TYPE.CNAME) {
      const { name: target, end } = readName(message, record.rdata);
      if (end !== record.end) throw new RangeError('rdata');
      if (!aliases.has(id)) aliases.set(id, { target, ttl: record.ttl });
    } else if (record.type === type) {
      if (record.length !== (type === TYPE.A ? 4 : 16)) throw new RangeError('address');
      const known = found.get(id) ?? { rdatas: [], ttl: MAX_TTL };
      known.rdatas.push(Uint8Array.prototype.slice.call(message, record.rdata, record.end));
      known.ttl = Math.min(known.ttl, record.ttl);
      found.set(id, known);
    }
  }
  const chain: ChainStep[] = [];
  let ttl = MAX_TTL;
  let id = nameId(asked);
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

function readRecord(message: Buffer, at: number) {
  const { name, end } = readName(message, at);
  const length = message.readUInt16BE(end + 8);
  const rdata = end + 10;
  if (rdata + length > message.length) throw new RangeError('record');
  return {
    name,
    type: message.readUInt16BE(end),
    class: message.readUInt16BE(end + 2),
    ttl: capped(message.readUInt32BE(end + 4)),
    length,
    rdata,
    end: rdata + length,
  };
}

const capped = (ttl: number): number => (ttl > MAX_TTL ? 0 : ttl);

/** The name at an offset in lower case, pointers followed (RFC 1035 4.1.4), and where it ends. Pointers lead strictly backwards, so it comes to an end. Throws RangeError. */
export function readName(message: Uint8Array, offset: number): { name: Name; end: number } {
  const name = new Uint8Array(MAX_NAME);
  let length = 0;
  let end = -1;
  let bound = offset;
  let pointers = 0;
  for (let at = offset; ; ) {
    const size = message[at];
    if (size === undefined) throw new RangeError('name');
    if ((size & 0xc0) === 0xc0) {
      if (at + 1 >= message.length) throw new RangeError('pointer');
      if (end < 0) end = at + 2;
      const to = ((size & 0x3f) << 8) | message[at + 1];
      if (to >= bound || ++pointers > MAX_POINTERS) throw new RangeError('pointer');
      bound = to;
      at = to;
      continue;
    }
    if (size > 63 || length + size + 1 > MAX_NAME || at + size >= message.length) throw new RangeError('label');
    name[length++] = size;
    for (let i = 1; i <= size; i++) name[length++] = LOWER[message[at + i]];
    at += size + 1;
    if (size === 0) return { name: name.slice(0, length), end: end < 0 ? at : end };
  }
}

function rcodeName(rcode: number): string {
  return Object.entries(RCODE).find(([, number]) => number === rcode)?.[0] ?? `RCODE ${rcode}`;
}
