/** The thread that compresses cached bodies. */
import { Piscina } from 'piscina';
import { type Coding, compressWell } from './coding.ts';

export interface WholeInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly coding: Coding;
}

/** Maximum size of the result relative to the body: a variant costs memory. */
const MAX_RATIO = 0.95;

export default function work({ bytes, coding }: WholeInput): unknown {
  const coded = compressWell(bytes, coding);
  if (coded.length >= bytes.length * MAX_RATIO) return null;
  // A copy without the spare capacity of Node's buffer, because the cache keeps it for long.
  const own = new Uint8Array(coded);
  const movable: object = { [Piscina.transferableSymbol]: [own.buffer], [Piscina.valueSymbol]: own };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}
