/** Requests to primaries: SOA queries, AXFR and IXFR, signed if the primary has a key. */
import { randomInt } from 'node:crypto';
import { EDNS_OPTION, OPT_LENGTH, OPTION_HEADER, PLAIN_OPT, readExpire } from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, QR, TC } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { equalNames, type Name } from '../../dns/wire/name.ts';
import { macOfResponse, signRequest, type TsigKey } from '../../dns/wire/tsig.ts';
import { CLASS_IN, RCODE, TYPE } from '../../dns/wire/types.ts';
import type { Exemptions } from '../../net/address/index.ts';
import { exchangeTcp, exchangeUdp } from '../../net/resolver/exchange.ts';
import type { Primary } from '../../store/rows.ts';
import { type Connection, connect, requirePermitted } from './connection.ts';
import { malformed, ResponseCodeError, serialOf, type TransferKind, TransferStream } from './transfer-stream.ts';

export interface Target {
  readonly primary: Primary;
  /** Null: requests and responses are not signed. */
  readonly key: TsigKey | null;
  readonly exemptions: Exemptions;
  readonly signal: AbortSignal;
  /** The source address; undefined: that of the route. */
  readonly source: string | undefined;
  /** Maximum bytes of a transfer. */
  readonly maxBytes: number;
  /** What EXPIRE tells (RFC 7314). */
  readonly expiry: Expiry;
  /** Called for each message of a transfer. Rejects it by an Error that can be shown. */
  readonly onMessage: (bytes: number) => void;
}

export interface Expiry {
  /** False for a primary without EDNS. */
  isWanted: boolean;
  /** Seconds after which the primary's own copy expires; null: it has not said so. */
  seconds: number | null;
}

/** Servers without EDNS answer one of these (RFC 6891 section 7). */
const WITHOUT_EDNS: ReadonlySet<number> = new Set([RCODE.FORMERR, RCODE.NOTIMP]);

/** Repeats a request without EDNS for a primary that does not know it. */
async function withEdnsOrWithout<T>(expiry: Expiry, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isWithout = error instanceof ResponseCodeError && WITHOUT_EDNS.has(error.rcode);
    if (!isWithout || !expiry.isWanted) throw error;
    expiry.isWanted = false;
    return request();
  }
}

export interface Transferred {
  readonly kind: TransferKind;
  readonly serial: number;
  readonly messages: readonly Uint8Array[];
}

const UDP_MS = 1500;
const UDP_TRIES = 2;
const TCP_MS = 8000;
/** RFC 8945 section 5.3.1: at least every hundredth message is signed. */
const MAX_UNSIGNED = 99;
/** RFC 8467 section 4.1: queries over TLS are padded to multiples of this. */
const PADDED = 128;

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Queries the serial of a primary over UDP, or over TCP if that fails or is truncated. */
export function querySerial(apex: Name, target: Target): Promise<number> {
  return withEdnsOrWithout(target.expiry, () => requestSerial(apex, target));
}

async function requestSerial(
  apex: Name,
  { primary, key, exemptions, signal, source, expiry }: Target,
): Promise<number> {
  requirePermitted(primary, exemptions);
  const query = requestOf(apex, TYPE.SOA, null, { wantsExpire: expiry.isWanted });
  const { message, mac } = key === null ? { message: query, mac: null } : signRequest(query, key, seconds());
  const bytes = Buffer.from(message);
  const server = { address: primary.address, port: primary.port, source };
  const isAnswer = (received: Buffer): boolean => {
    if (received.length < HEADER_LENGTH || received.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
    if ((received[2] & QR) === 0) return false;
    return key === null || mac === null || macOfResponse(received, key, mac, seconds(), {}) !== null;
  };
  for (let attempt = 0; attempt < UDP_TRIES; attempt++) {
    let answer: Buffer;
    try {
      answer = await exchangeUdp(server, bytes, isAnswer, UDP_MS, signal);
    } catch {
      signal.throwIfAborted();
      continue;
    }
    if ((answer[2] & TC) === 0) return readSerial(answer, apex, expiry);
    break;
  }
  let answer: Buffer;
  try {
    answer = await exchangeTcp(server, bytes, TCP_MS, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error((error as Error).message.replace('the resolver', 'it'));
  }
  if (!isAnswer(answer)) throw new Error(key === null ? 'it sent an unexpected response' : BAD_SIGNATURE);
  return readSerial(answer, apex, expiry);
}

const BAD_SIGNATURE = 'the signature (TSIG) of its response is missing or wrong';

function readSerial(answer: Buffer, apex: Name, expiry: Expiry): number {
  const rcode = answer[3] & 15;
  if (rcode !== 0) throw new ResponseCodeError(rcode);
  const reader = new MessageReader(answer, HEADER_LENGTH);
  for (let i = answer.readUInt16BE(4); i > 0; i--) {
    reader.name();
    reader.u32();
  }
  for (let i = answer.readUInt16BE(6); i > 0; i--) {
    const { name, type, rdata } = reader.record();
    if (type !== TYPE.SOA || !equalNames(name, apex)) continue;
    expiry.seconds = readExpire(answer);
    return serialOf(rdata);
  }
  throw new Error('it does not serve the zone');
}

/**
 * Transfers the difference of a zone from `serial`, or the whole zone (`serial` null). Rejects with
 * an Error that can be shown, and with ResponseCodeError.
 */
export function transfer(apex: Name, serial: number | null, target: Target): Promise<Transferred> {
  return withEdnsOrWithout(target.expiry, () => transferOnce(apex, serial, target));
}

async function transferOnce(apex: Name, serial: number | null, target: Target): Promise<Transferred> {
  const connection = await connect(target.primary, target.exemptions, target.signal, target.source);
  try {
    return await receive(connection, apex, serial, target);
  } finally {
    connection.close();
  }
}

async function receive(
  connection: Connection,
  apex: Name,
  serial: number | null,
  { primary, key, maxBytes, expiry, onMessage }: Target,
): Promise<Transferred> {
  const type = serial === null ? TYPE.AXFR : TYPE.IXFR;
  const request = requestOf(apex, type, serial, { isPadded: primary.tls !== null, wantsExpire: expiry.isWanted });
  const signed = key === null ? null : signRequest(request, key, seconds());
  connection.send(signed?.message ?? request);
  const stream = new TransferStream({ apex, id: request.readUInt16BE(0), type, serial });
  const signatures = key === null || signed === null ? null : new StreamSignatures(key, signed.mac);
  const messages: Uint8Array[] = [];
  let bytes = 0;
  for await (const message of connection.messages()) {
    bytes += message.length;
    if (bytes > maxBytes) throw new Error(`the zone is larger than ${maxBytes} bytes`);
    onMessage(message.length);
    // The signature is checked before the message is read.
    const isSigned = signatures?.add(message) ?? true;
    const isLast = stream.add(message);
    if (messages.length === 0) expiry.seconds = readExpire(message);
    messages.push(message);
    if (!isLast) continue;
    if (!isSigned) throw malformed('its last message is not signed');
    return { kind: stream.kind, serial: stream.serial, messages };
  }
  throw new Error('it closed the connection before the end');
}

/** Checks the signatures of the messages of a stream (RFC 8945 section 5.3.1). */
class StreamSignatures {
  readonly #key: TsigKey;
  #prior: Uint8Array;
  #isFirst = true;
  #unsigned: Uint8Array[] = [];

  constructor(key: TsigKey, requestMac: Uint8Array) {
    this.#key = key;
    this.#prior = requestMac;
  }

  /** Whether the message is signed. Throws if a signature is missing or wrong. */
  add(message: Uint8Array): boolean {
    const options = { timersOnly: !this.#isFirst, unsigned: this.#unsigned };
    const mac = macOfResponse(message, this.#key, this.#prior, seconds(), options);
    if (mac !== null) {
      this.#prior = mac;
      this.#unsigned = [];
      this.#isFirst = false;
      return true;
    }
    // A message with additional records may have a wrong signature.
    if (this.#isFirst || message[10] !== 0 || message[11] !== 0 || this.#unsigned.length >= MAX_UNSIGNED)
      throw new Error(BAD_SIGNATURE);
    this.#unsigned.push(message);
    return false;
  }
}

/** `serial`: the client's serial for an IXFR, sent in an SOA record (RFC 1995 section 3). */
export function requestOf(
  apex: Name,
  type: number,
  serial: number | null,
  options: { readonly isPadded?: boolean; readonly wantsExpire?: boolean } = {},
): Buffer {
  const soa = serial === null ? Buffer.alloc(0) : Buffer.alloc(apex.length + 10 + 2 + 20);
  if (serial !== null) {
    soa.set(apex);
    soa.writeUInt16BE(TYPE.SOA, apex.length);
    soa.writeUInt16BE(CLASS_IN, apex.length + 2);
    soa.writeUInt16BE(22, apex.length + 8);
    soa.writeUInt32BE(serial, apex.length + 12);
  }
  const length = HEADER_LENGTH + apex.length + 4 + soa.length;
  const opt = optOf(length, options);
  const bytes = Buffer.alloc(length);
  bytes.writeUInt16BE(randomInt(0x10000), 0);
  bytes[5] = 1;
  bytes[9] = serial === null ? 0 : 1;
  bytes[11] = opt.length > 0 ? 1 : 0;
  bytes.set(apex, HEADER_LENGTH);
  bytes.writeUInt16BE(type, HEADER_LENGTH + apex.length);
  bytes.writeUInt16BE(CLASS_IN, HEADER_LENGTH + apex.length + 2);
  bytes.set(soa, HEADER_LENGTH + apex.length + 4);
  return Buffer.concat([bytes, opt]);
}

/**
 * An OPT record that asks for EXPIRE (RFC 7314), and pads a message of `length` bytes (RFC 7830).
 * Empty: with neither.
 */
function optOf(length: number, { isPadded = false, wantsExpire = false }): Buffer {
  if (!isPadded && !wantsExpire) return Buffer.alloc(0);
  const expire = Buffer.alloc(wantsExpire ? OPTION_HEADER : 0);
  if (wantsExpire) expire.writeUInt16BE(EDNS_OPTION.EXPIRE, 0);
  const before = length + OPT_LENGTH + expire.length + OPTION_HEADER;
  const padding = Buffer.alloc(isPadded ? OPTION_HEADER + ((PADDED - (before % PADDED)) % PADDED) : 0);
  if (isPadded) {
    padding.writeUInt16BE(EDNS_OPTION.PADDING, 0);
    padding.writeUInt16BE(padding.length - OPTION_HEADER, 2);
  }
  const opt = Buffer.from(PLAIN_OPT);
  opt.writeUInt16BE(expire.length + padding.length, OPT_LENGTH - 2);
  return Buffer.concat([opt, expire, padding]);
}
