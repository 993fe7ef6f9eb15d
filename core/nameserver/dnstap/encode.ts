/**
 * Encodes records of a ring as frames with messages of dnstap: protobuf `dnstap.Dnstap`, version 2
 * of the schema at dnstap.info, without canonical order of fields.
 */
import { TRANSPORT } from '../../net/address/client.ts';
import { KIND, RECORD, RECORD_HEADER, type RingViews } from './ring.ts';

/** Tags: number of the field × 8 + wire type (0 varint, 2 bytes, 5 four bytes). */
const TAG = { identity: 0x0a, version: 0x12, message: 0x72, type: 0x78 } as const;
const FIELD = {
  type: 0x08,
  family: 0x10,
  protocol: 0x18,
  queryAddress: 0x22,
  responseAddress: 0x2a,
  queryPort: 0x30,
  responsePort: 0x38,
  querySeconds: 0x40,
  queryNanoseconds: 0x4d,
  queryMessage: 0x52,
  responseSeconds: 0x60,
  responseNanoseconds: 0x6d,
  responseMessage: 0x72,
} as const;
/** Dnstap.Type. */
const MESSAGE = 1;
/** Message.Type. */
const AUTH_QUERY = 1;
const AUTH_RESPONSE = 2;
/** SocketFamily. */
const INET = 1;
const INET6 = 2;
type TransportValue = (typeof TRANSPORT)[keyof typeof TRANSPORT];
/** SocketProtocol. */
const PROTOCOL = {
  [TRANSPORT.UDP]: 1,
  [TRANSPORT.TCP]: 2,
  [TRANSPORT.TLS]: 3,
  [TRANSPORT.HTTPS]: 4,
} as const satisfies Record<TransportValue, number>;

/** An address of this server, as far as its settings name it. */
export interface LocalAddress {
  /** Null: it listens on any address, or on several. */
  readonly ipv4: Uint8Array | null;
  readonly ipv6: Uint8Array | null;
  /** 0: several. */
  readonly port: number;
}

/** Limit of the bytes around a message: its fields, identity and version. */
const MAX_FIELDS = 1024;

export class FrameEncoder {
  readonly #prefix: Uint8Array;
  /** The fields of Message before the DNS message. */
  readonly #fields = new Uint8Array(256);
  #at = 0;

  /** `locals`: by values of TRANSPORT. */
  constructor(
    identity: string,
    version: string,
    private readonly locals: ReadonlyMap<number, LocalAddress>,
  ) {
    const texts = [
      [TAG.identity, identity],
      [TAG.version, version],
    ] as const;
    this.#prefix = Buffer.concat(
      texts.map(([tag, value]) => {
        const bytes = Buffer.from(value);
        const head: number[] = [tag];
        let rest = bytes.length;
        for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
        return Buffer.concat([Uint8Array.from([...head, rest]), bytes]);
      }),
    );
  }

  /** The maximum size of the frame for a message of `length` bytes. */
  static space(length: number): number {
    return MAX_FIELDS + length;
  }

  /** Writes the frame of the record at `at` to out[to]. Returns the end of the frame. */
  encode({ bytes, words, doubles }: RingViews, at: number, out: Uint8Array, to: number): number {
    const length = words[(at + RECORD.length) >> 2];
    const isQuery = bytes[at + RECORD.kind] === KIND.QUERY;
    const addressLength = bytes[at + RECORD.addressLength];
    const transport = bytes[at + RECORD.transport];
    const port = (bytes[at + RECORD.port] << 8) | bytes[at + RECORD.port + 1];
    const local = this.locals.get(transport);
    this.#at = 0;
    this.#number(FIELD.type, isQuery ? AUTH_QUERY : AUTH_RESPONSE);
    this.#number(FIELD.family, addressLength === 4 ? INET : INET6);
    this.#number(FIELD.protocol, PROTOCOL[transport as TransportValue]);
    this.#bytes(FIELD.queryAddress, bytes, at + RECORD.address, addressLength);
    const localAddress = (addressLength === 4 ? local?.ipv4 : local?.ipv6) ?? null;
    if (localAddress !== null) this.#bytes(FIELD.responseAddress, localAddress, 0, localAddress.length);
    // The port is not available over HTTPS.
    if (port !== 0) this.#number(FIELD.queryPort, port);
    if (local !== undefined && local.port !== 0) this.#number(FIELD.responsePort, local.port);
    this.#time(FIELD.querySeconds, FIELD.queryNanoseconds, doubles[(at + RECORD.queryTime) >> 3]);
    if (!isQuery)
      this.#time(FIELD.responseSeconds, FIELD.responseNanoseconds, doubles[(at + RECORD.responseTime) >> 3]);
    this.#number(isQuery ? FIELD.queryMessage : FIELD.responseMessage, length);

    const prefix = this.#prefix;
    const fields = this.#fields;
    const messageLength = this.#at + length;
    let end = to + 4;
    out.set(prefix, end);
    end += prefix.length;
    out[end++] = TAG.message;
    end = putVarint(out, end, messageLength);
    for (let i = 0; i < this.#at; i++) out[end++] = fields[i];
    const from = at + RECORD_HEADER;
    for (let i = 0; i < length; i++) out[end++] = bytes[from + i];
    out[end++] = TAG.type;
    out[end++] = MESSAGE;
    const size = end - to - 4;
    out[to] = size >>> 24;
    out[to + 1] = size >>> 16;
    out[to + 2] = size >>> 8;
    out[to + 3] = size;
    return end;
  }

  #number(tag: number, value: number): void {
    this.#fields[this.#at++] = tag;
    this.#at = putVarint(this.#fields, this.#at, value);
  }

  #bytes(tag: number, bytes: Uint8Array, start: number, length: number): void {
    this.#number(tag, length);
    for (let i = 0; i < length; i++) this.#fields[this.#at++] = bytes[start + i];
  }

  /** `milliseconds`: since 1970. Nanoseconds are a `fixed32`, in little-endian order. */
  #time(secondsTag: number, nanosecondsTag: number, milliseconds: number): void {
    const seconds = Math.floor(milliseconds / 1000);
    const nanoseconds = Math.min(999_999_999, Math.max(0, Math.round((milliseconds - seconds * 1000) * 1e6)));
    this.#number(secondsTag, seconds);
    const fields = this.#fields;
    fields[this.#at++] = nanosecondsTag;
    fields[this.#at++] = nanoseconds;
    fields[this.#at++] = nanoseconds >>> 8;
    fields[this.#at++] = nanoseconds >>> 16;
    fields[this.#at++] = nanoseconds >>> 24;
  }
}

/** `value`: up to 2^53. Returns the end. */
function putVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out[at++] = (rest % 128) | 128;
  out[at++] = rest;
  return at;
}
