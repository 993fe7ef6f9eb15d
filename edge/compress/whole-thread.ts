/** The thread that codes bodies which are kept. */
import { Piscina } from 'piscina';
import { type Coding, compressWell } from './coding.ts';

export interface WholeInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly coding: Coding;
}

/** What is left must be less than this part of it: a variant costs memory. */
const WORTH = 0.95;

export default function work({ bytes, coding }: WholeInput): unknown {
  const coded = compressWell(bytes, coding);
  if (coded.length >= bytes.length * WORTH) return null;
  // Memory of its own, without what node has kept ready behind it, since it will be kept for long.
  const own = new Uint8Array(coded);
  const movable: object = { [Piscina.transferableSymbol]: [own.buffer], [Piscina.valueSymbol]: own };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}
