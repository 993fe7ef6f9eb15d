/**
 * The messages of a transfer: as many records as there is room for, their names compressed (RFC
 * 5936 section 3.4, RFC 1035 4.1.4).
 */

import { OPT_LENGTH, type RequestOpt, writePlainOpt } from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, MAX_MESSAGE } from '../../dns/wire/header.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import type { Name } from '../../dns/wire/name.ts';
import { CLASS_IN, COMPRESSIBLE, type ResourceRecord } from '../../dns/wire/types.ts';

/** Past it pointers don't reach, so that longer messages would only compress worse. */
const GOOD_LENGTH = 16 * 1024;
const LAST_POINTER = 0x3fff;
const RECORD = 10;

/** What each message of an answer repeats of the request. */
export interface Envelope {
  readonly request: Uint8Array;
  /** Offset behind the request's question. */
  readonly questionEnd: number;
  readonly opt: RequestOpt | null;
}

export class TransferMessage {
  readonly #envelope: Envelope;
  readonly #most: number;
  readonly #good: number;
  #bytes = Buffer.allocUnsafe(GOOD_LENGTH + 4096);
  #length = 0;
  #records = 0;
  #isFirst = true;
  readonly #offsets = new Map<string, number>();
  /** The owner written last, as an object, and where. */
  #last: Name | null = null;
  #lastAt = 0;

  /** `most`: bytes of a message; `reserve`: how many of them are kept for a signature. */
  constructor(envelope: Envelope, reserve: number, most = MAX_MESSAGE) {
    this.#envelope = envelope;
    this.#most = most - reserve - OPT_LENGTH;
    this.#good = Math.min(GOOD_LENGTH, most) - reserve - OPT_LENGTH;
    this.#begin();
  }

  /** How many records the message in progress has. */
  get count(): number {
    return this.#records;
  }

  /**
   * False: there is no room for it in this message, which is to be taken now. A message for nothing
   * but this record has more than one with others.
   */
  add({ name, type, ttl, rdata }: ResourceRecord): boolean {
    const before = this.#length;
    const room = this.#records === 0 ? this.#most : this.#good;
    this.#need(name.length + RECORD + rdata.length);
    this.#owner(name);
    this.#bytes.writeUInt16BE(type, this.#length);
    this.#bytes.writeUInt16BE(CLASS_IN, this.#length + 2);
    this.#bytes.writeUInt32BE(ttl, this.#length + 4);
    const lengthAt = this.#length + 8;
    this.#length += RECORD;
    this.#rdata(type, rdata);
    this.#bytes.writeUInt16BE(this.#length - lengthAt - 2, lengthAt);
    if (this.#length > room) {
      this.#length = before;
      return false;
    }
    this.#records++;
    return true;
  }

  /**
   * The message, as a copy, and begins the next one, which has no question and no OPT (RFC 5936
   * 2.2).
   */
  take(): Buffer {
    const envelope = this.#envelope;
    const isFirst = this.#isFirst;
    if (isFirst && envelope.opt !== null) {
      writePlainOpt(this.#bytes, this.#length, envelope.opt);
      this.#length += OPT_LENGTH;
      this.#bytes[11] = 1;
    }
    this.#bytes.writeUInt16BE(this.#records, 6);
    const message = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#isFirst = false;
    this.#begin();
    return message;
  }

  #begin(): void {
    const { request, questionEnd } = this.#envelope;
    const head = this.#isFirst ? questionEnd : HEADER_LENGTH;
    this.#bytes.set(request.subarray(0, head));
    // QR and AA; RD as it came.
    this.#bytes[2] = 0x84 | (request[2] & 0x01);
    this.#bytes[3] = 0;
    this.#bytes.fill(0, 4, HEADER_LENGTH);
    this.#bytes[5] = this.#isFirst ? 1 : 0;
    this.#length = head;
    this.#records = 0;
    this.#last = null;
    this.#offsets.clear();
  }

  #owner(name: Name): void {
    if (name === this.#last) this.#pointer(this.#lastAt);
    else {
      this.#lastAt = this.#name(name);
      this.#last = this.#lastAt <= LAST_POINTER ? name : null;
    }
  }

  #rdata(type: number, rdata: Uint8Array): void {
    const layout = COMPRESSIBLE.get(type);
    let at = 0;
    if (layout !== undefined) {
      at = layout.skip;
      this.#copy(rdata, 0, at);
      for (let i = 0; i < layout.names; i++) {
        let end = at;
        while (rdata[end] !== 0) end += rdata[end] + 1;
        this.#name(rdata.subarray(at, end + 1));
        at = end + 1;
      }
    }
    this.#copy(rdata, at, rdata.length);
  }

  /** Returns where the name can be pointed at. */
  #name(name: Name): number {
    const start = this.#length;
    const text = latin1(name);
    for (let p = 0; name[p] !== 0; p += name[p] + 1) {
      const suffix = p === 0 ? text : text.slice(p);
      const offset = this.#offsets.get(suffix);
      if (offset !== undefined) {
        this.#pointer(offset);
        return p === 0 ? offset : start;
      }
      if (this.#length <= LAST_POINTER) this.#offsets.set(suffix, this.#length);
      this.#copy(name, p, p + name[p] + 1);
    }
    this.#bytes[this.#length++] = 0;
    return start;
  }

  #pointer(target: number): void {
    this.#length = this.#bytes.writeUInt16BE(0xc000 | target, this.#length);
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    this.#bytes.set(from.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  #need(size: number): void {
    const least = this.#length + size + OPT_LENGTH;
    if (least <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(least, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
