/** Memory of JavaScript that OpenSSL reads and writes by its address. */
import koffi from 'koffi';
import type { Address, Pointer } from './library.ts';

/** Smaller arrays may be in V8's heap, which moves them. */
const MIN_BYTES = 256;

/** Bytes that do not move while the object is referenced. OpenSSL must not keep their address. */
export class Memory {
  /** At least as long as requested. */
  readonly bytes: Buffer;
  readonly #address: number;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(length, MIN_BYTES));
    this.#address = Number(koffi.address(this.bytes));
  }

  /** Memory with a NUL-terminated string. */
  static of(text: string): Memory {
    const memory = new Memory(Buffer.byteLength(text) + 1);
    memory.bytes[memory.bytes.write(text)] = 0;
    return memory;
  }

  get address(): Address {
    return this.#address as Address;
  }

  /** The address of bytes[offset … offset + length). Throws a RangeError beyond the memory. */
  at(offset: number, length = 0): Address {
    if (offset < 0 || length < 0 || offset + length > this.bytes.length)
      throw new RangeError(`bytes ${offset} to ${offset + length} of ${this.bytes.length} were requested`);
    return (this.#address + offset) as Address;
  }

  /** Stores a pointer at `offset`, without allocating a BigInt. */
  writePointer(offset: number, pointer: Pointer<string>): void {
    this.bytes.writeUInt32LE(pointer >>> 0, offset);
    this.bytes.writeUInt32LE(Math.floor(pointer / 0x1_0000_0000), offset + 4);
  }

  readPointer<Target extends string>(offset: number): Pointer<Target> {
    return (this.bytes.readUInt32LE(offset) + this.bytes.readUInt32LE(offset + 4) * 0x1_0000_0000) as Pointer<Target>;
  }
}
