/**
 * Reads a message from the network section by section: names and the names in rdata are
 * decompressed. Used for messages that are parsed into records, such as updates. The query path
 * reads in place (core/zone/answer).
 */
import { InvalidError } from '../../base/errors.ts';
import { LOWER, MAX_LABEL, MAX_NAME, type Name } from './name.ts';
import { TYPE } from './types.ts';

/**
 * Maximum pointers in a name: one for each label. Without a limit, a 64 KB message could have
 * thousands of names, each with a chain of thousands of pointers.
 */
const MAX_POINTERS = 127;

/**
 * A record of a message of any opcode. Its class and TTL may have another meaning than in a zone.
 */
export interface MessageRecord {
  /** In lower case. */
  readonly name: Name;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /**
   * Names in it are uncompressed and in lower case, for the types whose names a sender may
   * compress.
   */
  readonly rdata: Uint8Array;
}

/**
 * Positions of names in rdata that may be compressed: the types of RFC 1035, and types that older
 * software compresses (RFC 3597 section 4). `skip`: bytes before the first name; `names`: number of
 * consecutive names. NAPTR has strings before its name.
 */
const LAYOUTS: ReadonlyMap<number, { readonly skip: number; readonly names: number }> = new Map([
  [TYPE.NS, { skip: 0, names: 1 }],
  [TYPE.MD, { skip: 0, names: 1 }],
  [TYPE.MF, { skip: 0, names: 1 }],
  [TYPE.CNAME, { skip: 0, names: 1 }],
  [TYPE.SOA, { skip: 0, names: 2 }],
  [TYPE.MB, { skip: 0, names: 1 }],
  [TYPE.MG, { skip: 0, names: 1 }],
  [TYPE.MR, { skip: 0, names: 1 }],
  [TYPE.PTR, { skip: 0, names: 1 }],
  [TYPE.MINFO, { skip: 0, names: 2 }],
  [TYPE.MX, { skip: 2, names: 1 }],
  [TYPE.RP, { skip: 0, names: 2 }],
  [TYPE.AFSDB, { skip: 2, names: 1 }],
  [TYPE.RT, { skip: 2, names: 1 }],
  [TYPE.SIG, { skip: 18, names: 1 }],
  [TYPE.PX, { skip: 2, names: 2 }],
  [TYPE.NXT, { skip: 0, names: 1 }],
  [TYPE.SRV, { skip: 6, names: 1 }],
  [TYPE.KX, { skip: 2, names: 1 }],
  [TYPE.DNAME, { skip: 0, names: 1 }],
]);

export class MessageReader {
  readonly #bytes: Uint8Array;
  #at: number;
  /** Buffer for the current name, so that only valid names are allocated. */
  readonly #scratch = new Uint8Array(MAX_NAME);

  /**
   * Starts at offset `at`. Every method throws InvalidError `malformed_message` if the bytes are
   * malformed.
   */
  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Offset of the next byte. */
  get offset(): number {
    return this.#at;
  }

  u16(): number {
    this.#need(2);
    this.#at += 2;
    return this.#bytes[this.#at - 2] * 0x100 + this.#bytes[this.#at - 1];
  }

  u32(): number {
    return this.u16() * 0x10000 + this.u16();
  }

  /**
   * A name as a copy, decompressed and in lower case. Each pointer must refer to an earlier offset
   * (RFC 1035 4.1.4), so decompression terminates.
   */
  name(): Name {
    const bytes = this.#bytes;
    const scratch = this.#scratch;
    let length = 0;
    let pointers = 0;
    let end = -1;
    let before = this.#at;
    for (let p = this.#at; ; ) {
      if (p >= bytes.length) return malformed('a name extends beyond the end');
      const n = bytes[p];
      if (n >= 0xc0) {
        if (p + 1 >= bytes.length) return malformed('a compression pointer is truncated');
        const target = ((n & 0x3f) << 8) | bytes[p + 1];
        if (target >= before) return malformed('a compression pointer does not point backwards');
        if (++pointers > MAX_POINTERS) return malformed('a name has too many compression pointers');
        if (end < 0) end = p + 2;
        before = target;
        p = target;
        continue;
      }
      if (n > MAX_LABEL) return malformed('a label has an unknown type');
      if (p + n >= bytes.length) return malformed('a label extends beyond the end');
      if (length + n + 1 > MAX_NAME) return malformed('a name is longer than 255 bytes');
      scratch[length++] = n;
      for (let i = p + 1; i <= p + n; i++) scratch[length++] = LOWER[bytes[i]];
      p += n + 1;
      if (n > 0) continue;
      this.#at = end < 0 ? p : end;
      return scratch.slice(0, length);
    }
  }

  record(): MessageRecord {
    const name = this.name();
    const type = this.u16();
    const qclass = this.u16();
    const ttl = this.u32();
    const length = this.u16();
    this.#need(length);
    return { name, type, class: qclass, ttl, rdata: this.#rdata(type, this.#at + length) };
  }

  /** Throws unless all bytes have been read. */
  end(): void {
    if (this.#at !== this.#bytes.length) malformed('the message has extra bytes after the last record');
  }

  #rdata(type: number, end: number): Uint8Array {
    const start = this.#at;
    const empty = start === end;
    const layout = empty
      ? undefined
      : type === TYPE.NAPTR
        ? { skip: this.#stringsEnd(end), names: 1 }
        : LAYOUTS.get(type);
    if (layout === undefined) {
      this.#at = end;
      return this.#bytes.slice(start, end);
    }
    const parts = [this.#bytes.subarray(start, start + layout.skip)];
    this.#at = start + layout.skip;
    for (let i = 0; i < layout.names; i++) parts.push(this.name());
    if (this.#at > end) malformed('a name extends beyond the end of its rdata');
    parts.push(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return new Uint8Array(Buffer.concat(parts));
  }

  /** Bytes before the name of a NAPTR: two numbers, three strings (RFC 3403 4.1). */
  #stringsEnd(end: number): number {
    let p = this.#at + 4;
    for (let i = 0; i < 3 && p < end; i++) p += this.#bytes[p] + 1;
    return p < end ? p - this.#at : malformed('a NAPTR record ends before its name');
  }

  #need(count: number): void {
    if (this.#at + count > this.#bytes.length) malformed('it ends inside a record');
  }
}

function malformed(why: string): never {
  throw new InvalidError('malformed_message', `The message is malformed: ${why}.`);
}
