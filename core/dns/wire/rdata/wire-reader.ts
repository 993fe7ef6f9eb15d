/** Reads rdata field by field; every length is checked, so it can be given bytes from anywhere. */
import { InvalidError } from '../../../base/errors.ts';
import { typeName } from '../mnemonics.ts';
import { MAX_LABEL, MAX_NAME, type Name } from '../name.ts';

export class WireReader {
  readonly #type: number;
  readonly #bytes: Uint8Array;
  #position = 0;
  /** Collects the offsets of the names that are read. */
  nameStarts: number[] | undefined;
  /** The output is for servers of any version: recently named values are written as numbers. */
  readonly isPortable: boolean;

  constructor(type: number, bytes: Uint8Array, isPortable = false) {
    this.isPortable = isPortable;
    this.#type = type;
    this.#bytes = bytes;
  }

  fail(why: string): never {
    throw new InvalidError('invalid_content', `The bytes are not valid ${typeName(this.#type)} content: ${why}.`, {
      pointer: '/content',
    });
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  /** The next bytes, as a view. */
  take(count: number): Uint8Array {
    if (count > this.left) this.fail(`${count - this.left} bytes are missing`);
    this.#position += count;
    return this.#bytes.subarray(this.#position - count, this.#position);
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  u8(): number {
    if (this.left === 0) this.fail('1 byte is missing');
    return this.#bytes[this.#position++];
  }

  u16(): number {
    return this.u8() * 0x100 + this.u8();
  }

  u32(): number {
    return this.u16() * 0x10000 + this.u16();
  }

  /** A reader of the next bytes alone. */
  part(count: number): WireReader {
    return new WireReader(this.#type, this.take(count), this.isPortable);
  }

  /** A reader of the remaining bytes. They are not consumed here. */
  again(): WireReader {
    return new WireReader(this.#type, this.#bytes.subarray(this.#position), this.isPortable);
  }

  /** An uncompressed name, as a view. */
  name(): Name {
    const start = this.#position;
    for (;;) {
      const length = this.u8();
      if (length > MAX_LABEL) this.fail('a name has a compression pointer or a label longer than 63 bytes');
      this.take(length);
      if (this.#position - start > MAX_NAME) this.fail('a name is longer than 255 bytes');
      if (length > 0) continue;
      this.nameStarts?.push(start);
      return this.#bytes.subarray(start, this.#position);
    }
  }

  end(): void {
    if (this.left > 0) this.fail(`extra bytes at the end: ${this.left}`);
  }
}
