import { ConfigError } from '../../core/base/errors.ts';
import { createLogger } from '../../core/base/log/index.ts';
import { NodeTransport } from './node-transport.ts';
import { STANDARD_TIMEOUTS, type Transport, type TransportOptions } from './transport.ts';
import { loadUws } from './uws.ts';
import { UwsTransport } from './uws-transport.ts';

/** What `select` fills in when it is not told. */
export const STANDARD_OPTIONS: TransportOptions = {
  timeouts: STANDARD_TIMEOUTS,
  limits: { total: 1024, perAddress: 256 },
  log: createLogger({ level: 'warn', format: 'text' }),
};

/** `auto` is uWebSockets.js where it loads, else node:http. Throws ConfigError when `uws` is demanded and does not load. */
export async function selectTransport(
  kind: 'auto' | 'uws' | 'node',
  given: Partial<TransportOptions> = {},
): Promise<Transport> {
  const options = { ...STANDARD_OPTIONS, ...given };
  if (kind === 'node') return new NodeTransport(options);
  const uws = await loadUws();
  if (uws !== undefined) return new UwsTransport(uws, options);
  if (kind === 'auto') return new NodeTransport(options);
  throw new ConfigError(
    'no_uws',
    'admin.transport is "uws", but uWebSockets.js cannot be loaded; install the package or set admin.transport to "auto".',
  );
}
