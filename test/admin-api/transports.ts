/** The transports for a suite of the API. */
import { loadUws, type Uws } from '../../admin-api/http/uws.ts';
import { LEVEL } from '../support/level.ts';

export type TransportName = 'node' | 'uws';

/**
 * One transport at quick depth, otherwise both. The suites of the transports, in `http`, always use
 * both.
 */
export async function testedTransports(suite: string): Promise<readonly TransportName[]> {
  if (LEVEL === 'quick') return ['node'];
  return (await uwsFor(suite)) === undefined ? ['node'] : ['node', 'uws'];
}

/**
 * For one of many suites that are not about the transport. At moderate depth it is one, which
 * the name of the suite determines: about as many suites run over the one as over the other.
 */
export async function transportsOf(suite: string): Promise<readonly TransportName[]> {
  const tested = await testedTransports(suite);
  if (LEVEL === 'full') return tested;
  const sum = Buffer.from(suite).reduce((total, byte) => total + byte, 0);
  return [tested[sum % tested.length]];
}

/** NODE_MODULE_VERSION of the versions of Node that the package has binaries for: 20 and 22. */
export const UWS_ABIS: readonly string[] = ['115', '127'];

/**
 * The package; undefined, with a line that names the suite, if it is missing. Throws if no test may
 * be skipped and the package has a binary for this Node.
 */
export async function uwsFor(suite: string): Promise<Uws | undefined> {
  const loaded = await loadUws();
  if (loaded.uws !== undefined) return loaded.uws;
  const reason = `${suite} over uWebSockets.js: ${loaded.reason}`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1' && UWS_ABIS.includes(process.versions.modules))
    throw new Error(`${reason}, and peers are required.`);
  console.log(`skipped: ${reason}`);
  return undefined;
}
