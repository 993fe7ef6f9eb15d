/**
 * Copies the records of a large stored answer behind a chain, without decoding them: only pointers
 * change (RFC 1035 section 4.1.4). 4,000 addresses take 20 µs, where decoding and encoding them
 * takes a millisecond.
 */
import type { Body } from '../../dns/wire/body.ts';
import { AFTER_NAME, HEADER_LENGTH } from '../../dns/wire/header.ts';
import { MAX_NAME, type Name } from '../../dns/wire/name.ts';
import { COMPRESSIBLE } from '../../dns/wire/types.ts';
import { copyBytes } from './copy-bytes.ts';
import { NO_ROOM } from './denial.ts';

/** Bytes of a record between its owner and its data. */
const FIXED = 10;
const RDLENGTH_AT = 8;
const MAX_POINTER = 0x3fff;

/** A stored answer, and the names that it was compiled for and is sent for. */
interface StoredRecords {
  /** The body at `from`; pointers count from there, behind the question for `source`. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly from: number;
  readonly source: Name;
  /** What a pointer to the whole question stands for. */
  readonly owner: Name;
}

export class RecordCopier {
  #stored!: StoredRecords;
  #out: Uint8Array = new Uint8Array(0);
  #outView: DataView = new DataView(new ArrayBuffer(0));
  /** Of the message. */
  #messageAt = 0;
  /** The end of the writable room, as an offset of the buffer. */
  #limit = 0;
  /** Offsets in the message of the labels of the source; 0: there is no pointer to it. */
  readonly #labels = new Uint16Array(MAX_NAME + 1);
  #ownerAt = 0;
  /** First byte behind the question for the source, and where the body is in the message. */
  #origin = 0;
  #bodyAt = 0;
  /** From this offset of the body on, it is further behind in the message. */
  #gapAt = Number.POSITIVE_INFINITY;
  #gap = 0;
  /** Next byte to read, and to write. */
  #p = 0;
  #end = 0;

  /**
   * Begins to copy to out[at], in a message that starts at out[start]. `body`: what is before it.
   */
  begin(stored: StoredRecords, out: Uint8Array, start: number, at: number, body: Body): void {
    const { source, owner, from } = stored;
    this.#stored = stored;
    this.#out = out;
    this.#outView = new DataView(out.buffer, out.byteOffset, out.byteLength);
    this.#messageAt = start;
    this.#origin = HEADER_LENGTH + source.length + AFTER_NAME;
    this.#bodyAt = at - start;
    this.#gapAt = Number.POSITIVE_INFINITY;
    this.#p = from;
    body.locate(owner, this.#labels);
    this.#ownerAt = this.#labels[0];
    body.locate(source, this.#labels);
  }

  /** Copies the next records to out[at]. Returns the offset after them, or NO_ROOM. */
  copy(count: number, at: number, limit: number): number {
    this.#end = at;
    this.#limit = limit;
    for (let i = 0; i < count; i++) if (!this.#record()) return NO_ROOM;
    return this.#end;
  }

  /**
   * The same for `length` bytes of records without names in their data, all of the owner.
   */
  copyPlain(length: number, at: number, limit: number): number {
    const { bytes, view } = this.#stored;
    if (at + length > limit) return NO_ROOM;
    copyBytes(view, this.#p, this.#outView, at, length);
    const pointer = 0xc000 | this.#ownerAt;
    for (let p = this.#p, q = at, end = this.#p + length; p < end; ) {
      this.#out[q] = pointer >>> 8;
      this.#out[q + 1] = pointer;
      const size = 2 + FIXED + ((bytes[p + 2 + RDLENGTH_AT] << 8) | bytes[p + 3 + RDLENGTH_AT]);
      p += size;
      q += size;
    }
    this.#p += length;
    return at + length;
  }

  /** Whether pointers can lead to the owner. */
  get hasOwner(): boolean {
    return this.#ownerAt !== 0;
  }

  /** Sets the next record to out[at], after records that are not of the stored answer. */
  resumeAt(at: number): void {
    this.#gapAt = this.#p - this.#stored.from;
    this.#gap = at - this.#messageAt - this.#bodyAt - this.#gapAt;
  }

  #record(): boolean {
    const { bytes } = this.#stored;
    if (!this.#name() || !this.#bytes(FIXED)) return false;
    const p = this.#p;
    const type = (bytes[p - FIXED] << 8) | bytes[p - FIXED + 1];
    const end = p + ((bytes[p - 2] << 8) | bytes[p - 1]);
    const from = this.#end;
    const layout = COMPRESSIBLE.get(type);
    if (layout !== undefined) {
      if (!this.#bytes(layout.skip)) return false;
      for (let i = 0; i < layout.names; i++) if (!this.#name()) return false;
    }
    if (!this.#bytes(end - this.#p)) return false;
    const length = this.#end - from;
    this.#out[from - 2] = length >>> 8;
    this.#out[from - 1] = length;
    return true;
  }

  #bytes(length: number): boolean {
    if (this.#end + length > this.#limit) return false;
    copyBytes(this.#stored.view, this.#p, this.#outView, this.#end, length);
    this.#p += length;
    this.#end += length;
    return true;
  }

  /** Copies a name. Labels that no pointer can reach any more are written out. */
  #name(): boolean {
    const { bytes, from, source, owner } = this.#stored;
    let p = this.#p;
    // After the first pointer, what follows is not next to the name.
    let after = 0;
    for (;;) {
      const length = bytes[p];
      if (length < 0xc0) {
        if (this.#end + length + 1 > this.#limit) return false;
        for (let i = 0; i <= length; i++) this.#out[this.#end++] = bytes[p++];
        if (length > 0) continue;
        this.#p = after === 0 ? p : after;
        return true;
      }
      if (after === 0) after = p + 2;
      const target = ((length & 0x3f) << 8) | bytes[p + 1];
      const pointer = this.#moved(target);
      if (pointer !== 0) {
        if (this.#end + 2 > this.#limit) return false;
        this.#out[this.#end++] = 0xc0 | (pointer >>> 8);
        this.#out[this.#end++] = pointer;
        this.#p = after;
        return true;
      }
      if (target >= this.#origin) {
        p = from + target - this.#origin;
        continue;
      }
      const name = target === HEADER_LENGTH ? owner : source.subarray(target - HEADER_LENGTH);
      if (this.#end + name.length > this.#limit) return false;
      for (let i = 0; i < name.length; i++) this.#out[this.#end++] = name[i];
      this.#p = after;
      return true;
    }
  }

  /** Where a pointer leads in the message; 0: too far for one. */
  #moved(target: number): number {
    if (target === HEADER_LENGTH) return this.#ownerAt;
    if (target < this.#origin) return this.#labels[target - HEADER_LENGTH];
    const offset = target - this.#origin;
    const moved = this.#bodyAt + offset + (offset >= this.#gapAt ? this.#gap : 0);
    return moved > MAX_POINTER ? 0 : moved;
  }
}
