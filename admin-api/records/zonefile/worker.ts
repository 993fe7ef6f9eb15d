/** The worker thread that prepares large zone files. The buffers are transferred, not copied. */
import { Piscina } from 'piscina';
import { type Prepared, type PrepareInput, prepareZone } from './prepare.ts';

export default function work(input: PrepareInput): unknown {
  const prepared = prepareZone(input);
  return prepared.ok ? markTransferable(prepared) : prepared;
}

function markTransferable(prepared: Prepared & { ok: true }): unknown {
  const buffers = [ownBuffer(prepared.changes), ownBuffer(prepared.nodes)];
  const value = { ...prepared, changes: buffers[0], nodes: buffers[1] };
  // Piscina declares both symbols as plain `symbol`, so no object literal has the expected type.
  const movable: object = {
    [Piscina.transferableSymbol]: buffers.map((buffer) => buffer.buffer),
    [Piscina.valueSymbol]: value,
  };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}

/** Copies small arrays, whose shared pool buffer cannot be transferred. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && bytes.length > 64 * 1024
    ? new Uint8Array(buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
}
