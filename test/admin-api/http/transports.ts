/** Both transports, for suites that apply to both. */

import { BodyMemory } from '../../../admin-api/http/body-memory.ts';
import { NodeTransport } from '../../../admin-api/http/node-transport.ts';
import type { Transport, TransportOptions } from '../../../admin-api/http/transport.ts';
import { UwsTransport } from '../../../admin-api/http/uws-transport.ts';
import { createLogger } from '../../../core/base/log/index.ts';
import { uwsFor } from '../transports.ts';

/** Short timeouts, so that tests are fast. */
export const OPTIONS: TransportOptions = {
  timeouts: { body: 300, headers: 1_000, idle: 1_500, write: 1_000, close: 500 },
  limits: { total: 1024, perAddress: 1024 },
  memory: new BodyMemory(256 << 20),
  log: createLogger({ level: 'error', format: 'text' }),
};

export type Make = (changed?: Partial<TransportOptions>) => Transport;

/** Calls `contract` for each transport that runs here. */
export async function forEachTransport(contract: (make: Make, name: 'node' | 'uws') => void): Promise<void> {
  contract((changed) => new NodeTransport({ ...OPTIONS, ...changed }), 'node');
  const uws = await uwsFor('transport');
  if (uws !== undefined) contract((changed) => new UwsTransport(uws, { ...OPTIONS, ...changed }), 'uws');
}
