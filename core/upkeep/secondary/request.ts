/** Requests to primaries: SOA queries, AXFR and IXFR, signed if the primary has a key. */
import { randomInt } from 'node:crypto';
import { HEADER_LENGTH, QR, TC } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { equalNames, type Name } from '../../dns/wire/name.ts';
import { macOfResponse, signRequest, type TsigKey } from '../../dns/wire/tsig.ts';
import { CLASS_IN, TYPE } from '../../dns/wire/types.ts';
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
  /** Maximum bytes of a transfer. */
  readonly maxBytes: number;
  /** Called for each message of a transfer. Rejects it by an Error that can be shown. */
  readonly onMessage: (bytes: number) => void;
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
const OPTION_PADDING = 12;

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Queries the serial of a primary over UDP, or over TCP if that fails or is truncated. */
export async function querySerial(apex: Name, { primary, key, exemptions, signal }: Target): Promise<number> {
  requirePermitted(primary, exemptions);
  const query = requestOf(apex, TYPE.SOA, null, false);
  const { message, mac } = key === null ? { message: query, mac: null } : signRequest(query, key, seconds());
  const bytes = Buffer.from(message);
  const isAnswer = (received: Buffer): boolean => {
    if (received.length < HEADER_LENGTH || received.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
    if ((received[2] & QR) === 0) return false;
    return key === null || mac === null || macOfResponse(received, key, mac, seconds(), {}) !== null;
  };
  for (let attempt = 0; attempt < UDP_TRIES; attempt++) {
    let answer: Buffer;
    try {
      answer = await exchangeUdp(primary, bytes, isAnswer, UDP_MS, signal);
    } catch {
      signal.throwIfAborted();
      continue;
    }
    if ((answer[2] & TC) === 0) return readSerial(answer, apex);
    break;
  }
  let answer: Buffer;
  try {
    answer = await exchangeTcp(primary, bytes, TCP_MS, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error((error as Error).message.replace('the resolver', 'it'));
  }
  if (!isAnswer(answer)) throw new Error(key === null ? 'it sent an unexpected response' : BAD_SIGNATURE);
  return readSerial(answer, apex);
}

const BAD_SIGNATURE = 'the signature (TSIG) of its response is missing or wrong';

function readSerial(answer: Buffer, apex: Name): number {
  const rcode = answer[3] & 15;
  if (rcode !== 0) throw new ResponseCodeError(rcode);
  const reader = new MessageReader(answer, HEADER_LENGTH);
  for (let i = answer.readUInt16BE(4); i > 0; i--) {
    reader.name();
    reader.u32();
  }
  for (let i = answer.readUInt16BE(6); i > 0; i--) {
    const { name, type, rdata } = reader.record();
    if (type === TYPE.SOA && equalNames(name, apex)) return serialOf(rdata);
  }
  throw new Error('it does not serve the zone');
}

/**
 * Transfers the difference of a zone from `serial`, or the whole zone (`serial` null). Rejects with
 * an Error that can be shown, and with ResponseCodeError.
 */
export async function transfer(apex: Name, serial: number | null, target: Target): Promise<Transferred> {
  const connection = await connect(target.primary, target.exemptions, target.signal);
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
  { primary, key, maxBytes, onMessage }: Target,
): Promise<Transferred> {
  const type = serial === null ? TYPE.AXFR : TYPE.IXFR;
  const request = requestOf(apex, type, serial, primary.tls !== null);
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
export function requestOf(apex: Name, type: number, serial: number | null, isPadded: boolean): Buffer {
  const soa = serial === null ? Buffer.alloc(0) : Buffer.alloc(apex.length + 10 + 2 + 20);
  if (serial !== null) {
    soa.set(apex);
    soa.writeUInt16BE(TYPE.SOA, apex.length);
    soa.writeUInt16BE(CLASS_IN, apex.length + 2);
    soa.writeUInt16BE(22, apex.length + 8);
    soa.writeUInt32BE(serial, apex.length + 12);
  }
  const length = HEADER_LENGTH + apex.length + 4 + soa.length;
  const opt = isPadded ? paddedOpt(length) : Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  bytes.writeUInt16BE(randomInt(0x10000), 0);
  bytes[5] = 1;
  bytes[9] = serial === null ? 0 : 1;
  bytes[11] = isPadded ? 1 : 0;
  bytes.set(apex, HEADER_LENGTH);
  bytes.writeUInt16BE(type, HEADER_LENGTH + apex.length);
  bytes.writeUInt16BE(CLASS_IN, HEADER_LENGTH + apex.length + 2);
  bytes.set(soa, HEADER_LENGTH + apex.length + 4);
  return Buffer.concat([bytes, opt]);
}

/** An OPT record that pads a message of `length` bytes (RFC 7830). */
function paddedOpt(length: number): Buffer {
  const padding = (PADDED - ((length + 15) % PADDED)) % PADDED;
  const opt = Buffer.alloc(15 + padding);
  opt.writeUInt16BE(TYPE.OPT, 1);
  opt.writeUInt16BE(1232, 3);
  opt.writeUInt16BE(4 + padding, 9);
  opt.writeUInt16BE(OPTION_PADDING, 11);
  opt.writeUInt16BE(padding, 13);
  return opt;
}
