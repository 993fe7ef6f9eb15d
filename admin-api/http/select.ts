import { ConfigError } from '../../core/errors.ts';
import { NodeTransport } from './node-transport.ts';
import { STANDARD_TIMEOUTS, type Timeouts, type Transport } from './transport.ts';
import { loadUws } from './uws.ts';
import { UwsTransport } from './uws-transport.ts';

/** `auto` is uWebSockets.js where it loads, else node:http. Throws ConfigError when `uws` is demanded and does not load. */
export async function selectTransport(
  kind: 'auto' | 'uws' | 'node',
  timeouts: Timeouts = STANDARD_TIMEOUTS,
): Promise<Transport> {
  if (kind === 'node') return new NodeTransport(timeouts);
  const uws = await loadUws();
  if (uws !== undefined) return new UwsTransport(uws, timeouts);
  if (kind === 'auto') return new NodeTransport(timeouts);
  throw new ConfigError(
    'no_uws',
    'admin.transport is "uws", but uWebSockets.js does not load here; set it to "auto" or install the package.',
  );
}
