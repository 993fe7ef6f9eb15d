/** Queries of any type, with the records of the response. */
import { setMaxListeners } from 'node:events';
import { questionEnd } from '../../dns/wire/bare-response.ts';
import { AA, HEADER_LENGTH, QR, TC } from '../../dns/wire/header.ts';
import { MessageReader, type MessageRecord } from '../../dns/wire/message-reader.ts';
import { equalNames, LOWER, type Name } from '../../dns/wire/name.ts';
import { checkRdata } from '../../dns/wire/rdata/index.ts';
import { CLASS_IN, RCODE, TYPE } from '../../dns/wire/types.ts';
import { exchangeTcp, exchangeUdp, type Server } from './exchange.ts';
import { encodeQuestion, newQuestion, type Question } from './message.ts';

export interface RecordReply {
  readonly rcode: number;
  readonly isAuthoritative: boolean;
  readonly answer: readonly MessageRecord[];
  readonly authority: readonly MessageRecord[];
}

interface QueryOptions {
  /** The server is to resolve the name (RD). */
  readonly isRecursive: boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds for each try over UDP, and for TCP. */
const UDP_MS: readonly number[] = [1500, 3000];
const TCP_MS = 4000;
const RD = 0x01;
/** QR and opcode. */
const KIND = 0xf8;

/**
 * The reply of one server, over UDP, and over TCP if that is truncated or does not arrive. Rejects
 * with an Error that can be shown, or InvalidError for a malformed reply.
 */
export async function queryServer(
  server: Server,
  name: Name,
  type: number,
  options: QueryOptions,
): Promise<RecordReply> {
  // Each query in flight adds a listener. The number of queries is bounded.
  setMaxListeners(0, options.signal);
  const reply = await exchange(server, newQuestion(name, type), options, true);
  const isPlain = reply.rcode === RCODE.FORMERR || reply.rcode === RCODE.NOTIMP;
  // The server does not implement EDNS (RFC 6891 section 7).
  return isPlain ? exchange(server, newQuestion(name, type), options, false) : reply;
}

async function exchange(
  server: Server,
  question: Question,
  { isRecursive, signal }: QueryOptions,
  edns: boolean,
): Promise<RecordReply> {
  const query = encodeQuestion(question, edns);
  if (!isRecursive) query[2] &= ~RD;
  const isReply = (received: Buffer): boolean => isReplyTo(received, question, false);
  for (const ms of UDP_MS) {
    const message = await exchangeUdp(server, query, isReply, ms, signal).catch(() => null);
    signal.throwIfAborted();
    if (message === null) continue;
    if ((message[2] & TC) !== 0) break;
    return readSections(message);
  }
  const message = await exchangeTcp(server, query, TCP_MS, signal);
  if (!isReplyTo(message, question, true)) throw new Error('the server sent an unexpected response');
  return readSections(message);
}

/** `anyCase`: the transport prevents forgery, so the case of the name is not compared. */
function isReplyTo(message: Buffer, { id, name, sent, type }: Question, anyCase: boolean): boolean {
  if (message.length < HEADER_LENGTH || message.readUInt16BE(0) !== id || (message[2] & KIND) !== QR) return false;
  const rcode = message[3] & 15;
  // Servers that do not understand a message may return its header alone.
  if (message.readUInt16BE(4) === 0) return rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP;
  const end = questionEnd(message);
  if (end !== HEADER_LENGTH + sent.length + 4) return false;
  const owner = message.subarray(HEADER_LENGTH, end - 4);
  const isSame = anyCase
    ? equalNames(
        owner.map((c) => LOWER[c]),
        name,
      )
    : equalNames(owner, sent);
  return isSame && message.readUInt16BE(end - 4) === type && message.readUInt16BE(end - 2) === CLASS_IN;
}

/**
 * Types whose rdata callers parse as names and addresses. Callers compare the bytes of other types.
 */
const CHECKED_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.CNAME, TYPE.NS, TYPE.SOA]);

/**
 * Throws InvalidError if the message does not have the records that it counts, or if the rdata of
 * one does not match its type: a name that does not end would be read forever.
 */
function readSections(message: Buffer): RecordReply {
  const reader = new MessageReader(message, message.readUInt16BE(4) === 0 ? HEADER_LENGTH : questionEnd(message));
  const read = (count: number): MessageRecord[] =>
    Array.from({ length: count }, () => reader.record()).filter((record) => record.class === CLASS_IN);
  const answer = read(message.readUInt16BE(6));
  const authority = read(message.readUInt16BE(8));
  for (const { type, rdata } of [...answer, ...authority]) if (CHECKED_TYPES.has(type)) checkRdata(type, rdata);
  return { rcode: message[3] & 15, isAuthoritative: (message[2] & AA) !== 0, answer, authority };
}

/** The first reply of recursive resolvers, in their order. Rejects as `queryServer`. */
export async function queryResolvers(
  servers: readonly Server[],
  name: Name,
  type: number,
  signal: AbortSignal,
): Promise<RecordReply> {
  let failure = new Error('no resolver is configured');
  for (const server of servers) {
    try {
      const reply = await queryServer(server, name, type, { isRecursive: true, signal });
      if (reply.rcode === RCODE.NOERROR || reply.rcode === RCODE.NXDOMAIN) return reply;
      failure = new Error(`the resolver returned RCODE ${reply.rcode}`);
    } catch (error) {
      failure = error as Error;
    }
    signal.throwIfAborted();
  }
  throw failure;
}
