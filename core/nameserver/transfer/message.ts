/**
 * Encodes the messages of a transfer. Each has as many records as fit, with compressed names (RFC
 * 5936 section 3.4, RFC 1035 4.1.4).
 */

import { OPT_LENGTH, type RequestOpt, writePlainOpt } from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, MAX_MESSAGE } from '../../dns/wire/header.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import type { Name } from '../../dns/wire/name.ts';
import { CLASS_IN, COMPRESSIBLE, type ResourceRecord } from '../../dns/wire/types.ts';

/**
 * Usual maximum length. Compression pointers reach no further, so longer messages compress worse.
 */
const USUAL_LENGTH = 16 * 1024;
const LAST_POINTER = 0x3fff;
const RECORD = 10;

/** The parts of the request that its responses repeat. */
export interface Envelope {
  readonly request: Uint8Array;
  /** Offset behind the request's question. */
  readonly questionEnd: number;
  readonly opt: RequestOpt | null;
}

export class TransferMessage {
  readonly #maxLength: number;
  readonly #usualLength: number;
  #bytes = Buffer.allocUnsafe(USUAL_LENGTH + 4096);
  #length = 0;
  #records = 0;
  #isFirst = true;
  readonly #offsets = new Map<string, number>();
  /** The owner of the previous record, compared by identity, and its offset. */
  #last: Name | null = null;
  #lastAt = 0;

  /**
   * `most`: maximum bytes of a message. `reserve`: bytes of it that are reserved for a signature.
   */
  constructor(
    private readonly envelope: Envelope,
    reserve: number,
    most = MAX_MESSAGE,
  ) {
    this.#maxLength = most - reserve - OPT_LENGTH;
    this.#usualLength = Math.min(USUAL_LENGTH, most) - reserve - OPT_LENGTH;
    this.#begin();
  }

  /** The number of records in the current message. */
  get count(): number {
    return this.#records;
  }

  /**
   * Adds a record. False: the current message is full; call `take`, then add the record again. A
   * record alone in its message may exceed the usual length.
   */
  add({ name, type, ttl, rdata }: ResourceRecord): boolean {
    const before = this.#length;
    const room = this.#records === 0 ? this.#maxLength : this.#usualLength;
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
   * Returns a copy of the current message and starts the next one. Later messages have no question
   * and no OPT (RFC 5936 2.2).
   */
  take(): Buffer {
    const envelope = this.envelope;
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
    const { request, questionEnd } = this.envelope;
    const head = this.#isFirst ? questionEnd : HEADER_LENGTH;
    this.#bytes.set(request.subarray(0, head));
    // QR and AA, with RD copied from the request.
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

  /** Writes a name. Returns its offset, for pointers. */
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
