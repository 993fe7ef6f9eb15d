/** Lines of the access log on their way out of the process. */
import type { Writable } from 'node:stream';
import type { FromGateway } from '../gateway/messages.ts';

/**
 * Counts them off for the thread that sent them once they have left, not before: who reads them may
 * be slow, or take nothing any more, and what waits in the stream is bounded by nobody.
 */
export function writeLines(
  to: Writable,
  { lines, writtenBatches }: Extract<FromGateway, { kind: 'access-log' }>,
): void {
  to.write(lines, () => void Atomics.add(new Int32Array(writtenBatches), 0, 1));
}
