import { Piscina } from 'piscina';

/** The result of a task of a piscina thread, whose buffers are transferred and not copied. */
export function movedResult(value: unknown, buffers: readonly ArrayBuffer[]): unknown {
  // Piscina declares both symbols as plain `symbol`, so no object literal has the expected type.
  const movable: object = { [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: value };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}
