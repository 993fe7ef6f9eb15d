import { Piscina } from 'piscina';

/** Wraps the result of a piscina task, so that its buffers are transferred instead of copied. */
export function movedResult(value: unknown, buffers: readonly ArrayBuffer[]): unknown {
  // Piscina declares both symbols as plain `symbol`, so no object literal has the expected type.
  const movable: object = { [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: value };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}
