/** Collects rdata. Grows up to the 65,535 bytes that RDLENGTH can say (RFC 1035 3.2.1). */
import { InvalidError } from '../../../base/errors.ts';

export const MAX_RDATA = 0xffff;

export class RdataWriter {
  #buffer = new Uint8Array(512);
  #length = 0;

  reset(): this {
    this.#length = 0;
    return this;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  u16(value: number): void {
    this.u8(value >>> 8);
    this.u8(value & 255);
  }

  u32(value: number): void {
    this.u16(value >>> 16);
    this.u16(value & 0xffff);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed > MAX_RDATA)
      throw new InvalidError('invalid_content', `The content is longer than the maximum of ${MAX_RDATA} bytes.`, {
        pointer: '/content',
      });
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
