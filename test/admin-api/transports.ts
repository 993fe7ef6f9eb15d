/** The transports that a suite of the API runs over. */
import { loadUws, type Uws } from '../../admin-api/http/uws.ts';
import { LEVEL } from '../support/level.ts';

export type TransportName = 'node' | 'uws';

/**
 * One at quick depth, else both. The suites of the transports themselves, in `http`, always run
 * over both.
 */
export async function testedTransports(suite: string): Promise<readonly TransportName[]> {
  if (LEVEL === 'quick') return ['node'];
  return (await uwsFor(suite)) === undefined ? ['node'] : ['node', 'uws'];
}

/**
 * The package, or undefined with a line that names the suite. Throws where nothing may be skipped.
 */
export async function uwsFor(suite: string): Promise<Uws | undefined> {
  const uws = await loadUws();
  if (uws !== undefined) return uws;
  const reason = `${suite} over uWebSockets.js: the package does not load here`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${reason}, and peers are required.`);
  console.log(`skipped: ${reason}`);
  return undefined;
}
