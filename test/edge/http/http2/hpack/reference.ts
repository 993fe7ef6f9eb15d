/**
 * RFC 7541 as it reads, without regard to speed or memory: the standard for the decoder where the
 * test does not state the result.
 */

import { CODE_LENGTHS, CODES, EOS } from '../../../../../edge/http/http2/hpack/huffman.ts';
import type { OutcomeName } from '../../../../../edge/http/http2/hpack/outcome.ts';
import { STATIC_TABLE } from '../../../../../edge/http/http2/hpack/tables.ts';

type Tree = (Tree | number)[];

const ROOT: Tree = [];
for (let symbol = 0; symbol <= EOS; symbol++) {
  let node = ROOT;
  for (let bit = CODE_LENGTHS[symbol] - 1; bit > 0; bit--) {
    const side = (CODES[symbol] >>> bit) & 1;
    node[side] ??= [];
    node = node[side] as Tree;
  }
  node[CODES[symbol] & 1] = symbol;
}

/** What a block is not decoded for. */
class Broken extends Error {
  constructor(readonly outcome: OutcomeName) {
    super(outcome);
  }
}

type Line = readonly [name: string, value: string];
const sizeOf = ([name, value]: Line): number => name.length + value.length + 32;

export class ReferenceDecoder {
  /** Newest first. */
  #table: Line[] = [];
  #maxSize = 4096;
  #allowed = 4096;
  #least = 4096;
  #block: Uint8Array = new Uint8Array(0);
  #at = 0;

  acknowledgeTableSize(size: number): void {
    this.#allowed = size;
    this.#least = Math.min(this.#least, size);
  }

  get tableSize(): number {
    return this.#table.reduce((sum, line) => sum + sizeOf(line), 0);
  }

  decode(block: Uint8Array): { outcome: OutcomeName; lines: Line[] } {
    this.#block = block;
    this.#at = 0;
    const lines: Line[] = [];
    try {
      this.#sizes();
      while (this.#at < block.length) lines.push(this.#line());
      return { outcome: 'decoded', lines };
    } catch (error) {
      if (error instanceof Broken) return { outcome: error.outcome, lines };
      throw error;
    }
  }

  #sizes(): void {
    let isRequired = this.#least < this.#maxSize;
    while (this.#at < this.#block.length && this.#block[this.#at] >> 5 === 1) {
      const size = this.#integer(5);
      if (size > this.#allowed) throw new Broken('sizeUpdateTooLarge');
      if (isRequired && size > this.#least) throw new Broken('missingSizeUpdate');
      isRequired = false;
      this.#maxSize = size;
      this.#least = this.#allowed;
      this.#evict(0);
    }
    if (isRequired && this.#at < this.#block.length) throw new Broken('missingSizeUpdate');
  }

  #line(): Line {
    const first = this.#block[this.#at];
    if (first >> 7 === 1) return this.#entry(this.#integer(7));
    if (first >> 5 === 1) throw new Broken('lateSizeUpdate');
    const isIndexing = first >> 6 === 1;
    const index = this.#integer(isIndexing ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    const line: Line = [name, this.#string()];
    if (isIndexing) {
      this.#evict(sizeOf(line));
      if (sizeOf(line) <= this.#maxSize) this.#table.unshift(line);
    }
    return line;
  }

  #entry(index: number): Line {
    if (index === 0) throw new Broken('unknownIndex');
    const entry =
      index < 62 ? ([STATIC_TABLE[index].name, STATIC_TABLE[index].value] as const) : this.#table[index - 62];
    if (entry === undefined) throw new Broken('unknownIndex');
    return entry;
  }

  #evict(room: number): void {
    while (this.#table.length > 0 && this.tableSize > this.#maxSize - room) this.#table.pop();
  }

  #byte(): number {
    if (this.#at >= this.#block.length) throw new Broken('truncated');
    return this.#block[this.#at++];
  }

  #integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let m = 0; m < 28; m += 7) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** m;
      if (byte < 128) return value;
    }
    throw new Broken('integerOverflow');
  }

  #string(): string {
    if (this.#at >= this.#block.length) throw new Broken('truncated');
    const isHuffman = this.#block[this.#at] >> 7 === 1;
    const length = this.#integer(7);
    if (this.#at + length > this.#block.length) throw new Broken('truncated');
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return isHuffman ? huffman(bytes) : String.fromCharCode(...bytes);
  }
}

function huffman(bytes: Uint8Array): string {
  let text = '';
  let node = ROOT;
  let pending = '';
  let isBroken = false;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      const side = (byte >>> bit) & 1;
      const next = node[side];
      pending += side;
      if (typeof next !== 'number') node = next;
      else {
        isBroken ||= next === EOS;
        text += String.fromCharCode(next);
        node = ROOT;
        pending = '';
      }
    }
  if (isBroken) throw new Broken('huffmanEos');
  if (pending.length > 7 || pending.includes('0')) throw new Broken('huffmanPadding');
  return text;
}
