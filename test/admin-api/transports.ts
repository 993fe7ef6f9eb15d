/** The transports that a suite of the API runs over. */
import { loadUws } from '../../admin-api/http/uws.ts';
import { LEVEL } from '../support/level.ts';

export type TransportName = 'node' | 'uws';

/** One at quick depth, else both. The suites of the transports themselves, in `http`, always run over both. */
export async function testedTransports(suite: string): Promise<readonly TransportName[]> {
  if (LEVEL === 'quick') return ['node'];
  if ((await loadUws()) !== undefined) return ['node', 'uws'];
  console.log(`skipped: ${suite} over uws, the package does not load here`);
  return ['node'];
}
