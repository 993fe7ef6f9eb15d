/** Header lists, decoded and encoded. */
import type { HeaderListLimits, HeaderSink, HpackDecoder } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { blockBound, type HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import { OUTCOME, type OutcomeName } from '../../../../../edge/http/http2/hpack/outcome.ts';

/** By outcome. */
export const OUTCOME_NAMES = Object.keys(OUTCOME) as readonly OutcomeName[];

export const WIDE: HeaderListLimits = { maxListSize: 1 << 20, maxListCount: 1 << 16 };

export class Collected implements HeaderSink {
  readonly lines: string[] = [];
  readonly flags: number[] = [];
  field(name: string, value: string, flags: number): void {
    this.lines.push(name, value);
    this.flags.push(flags);
  }
}

export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replace(/\s/g, ''), 'hex'));

/** Decodes a block that is in the midst of others' bytes, which it must neither read nor need. */
export function decode(
  decoder: HpackDecoder,
  block: Uint8Array,
): { outcome: OutcomeName; lines: string[]; flags: number[] } {
  const collected = new Collected();
  const around = Uint8Array.from([0x82, 0x82, ...block, 0x84, 0x84]);
  const outcome = decoder.decode(around, 2, 2 + block.length, collected);
  return { outcome: OUTCOME_NAMES[outcome], lines: collected.lines, flags: collected.flags };
}

/** A block of these lines alone. */
export function encode(encoder: HpackEncoder, lines: readonly string[]): Uint8Array {
  const target = new Uint8Array(blockBound(lines));
  return target.slice(0, encoder.fields(target, encoder.begin(target, 0), lines));
}
