/** The worker thread that prepares large zone files. The buffers are transferred, not copied. */
import { movedResult } from '../../../../core/base/moved-result.ts';
import { type CompareInput, type Comparison, compareZone } from './compare.ts';
import { type PreparedZone, type PrepareInput, prepareZone } from './prepare.ts';

export default function work(input: PrepareInput): unknown {
  const prepared = prepareZone(input);
  return prepared.ok ? markTransferable(prepared) : prepared;
}

/** The result is small: it has a limited number of records. */
export const compare = (input: CompareInput): Comparison => compareZone(input);

function markTransferable(prepared: PreparedZone): unknown {
  const buffers = [ownBuffer(prepared.changes), ownBuffer(prepared.nodes)];
  return movedResult(
    { ...prepared, changes: buffers[0], nodes: buffers[1] },
    buffers.map(({ buffer }) => buffer),
  );
}

/** Copies small arrays, whose shared pool buffer cannot be transferred. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && bytes.length > 64 * 1024
    ? new Uint8Array(buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
}
