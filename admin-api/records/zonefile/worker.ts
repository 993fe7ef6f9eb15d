/** The thread that prepares large zone files. Its answer's buffers are handed over, not copied. */
import { Piscina } from 'piscina';
import { type Prepared, type PrepareInput, prepareZone } from './prepare.ts';

export default function work(input: PrepareInput): unknown {
  const prepared = prepareZone(input);
  return prepared.ok ? moved(prepared) : prepared;
}

function moved(prepared: Prepared & { ok: true }): unknown {
  const buffers = [ownBuffer(prepared.changes), ownBuffer(prepared.nodes)];
  const value = { ...prepared, changes: buffers[0], nodes: buffers[1] };
  // The package declares both symbols as plain ones, so that no literal has its type.
  const movable: object = {
    [Piscina.transferableSymbol]: buffers.map((buffer) => buffer.buffer),
    [Piscina.valueSymbol]: value,
  };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}

/** Small buffers are in a pool that must stay here. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && bytes.length > 64 * 1024
    ? new Uint8Array(buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
}
