/** Selects the transport of the admin API: uWebSockets.js or node:http. */
import { ConfigError } from '../../core/base/errors.ts';
import { createLogger } from '../../core/base/log/index.ts';
import { BodyMemory } from './body-memory.ts';
import { NodeTransport } from './node-transport.ts';
import { STANDARD_TIMEOUTS, type Transport, type TransportOptions } from './transport.ts';
import { loadUws } from './uws.ts';
import { UwsTransport } from './uws-transport.ts';

/** Defaults for options that are omitted in selectTransport. */
const STANDARD_OPTIONS: TransportOptions = {
  timeouts: STANDARD_TIMEOUTS,
  limits: { total: 1024, perAddress: 256 },
  memory: new BodyMemory(256 << 20),
  log: createLogger({ level: 'warn', format: 'text' }),
};

/**
 * `auto`: uWebSockets.js if it loads, otherwise node:http. Throws ConfigError if `kind` is `uws`
 * and the library does not load.
 */
export async function selectTransport(
  kind: 'auto' | 'uws' | 'node',
  overrides: Partial<TransportOptions> = {},
): Promise<Transport> {
  const options = { ...STANDARD_OPTIONS, ...overrides };
  if (kind === 'node') return new NodeTransport(options);
  const loaded = await loadUws();
  if (loaded.uws !== undefined) return new UwsTransport(loaded.uws, options);
  const { reason } = loaded;
  if (kind === 'uws')
    throw new ConfigError(
      'no_uws',
      `admin.transport is "uws", but ${reason}. Use Node 22, which has a binary, or set admin.transport to "auto".`,
    );
  options.log.warn('the API is served by node:http, which is slower', { reason });
  return new NodeTransport(options);
}
