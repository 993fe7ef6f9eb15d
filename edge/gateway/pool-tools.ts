/** The tools of a thread's origin pools: keys and reports. */
import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { Secrets } from '../../core/base/secrets.ts';
import { ORIGINS } from '../../core/site/pools/document.ts';
import type { PoolTools } from '../sites/site-pools.ts';
import type { GatewayCounters } from './counters.ts';
import type { FromGateway } from './messages.ts';

/** Bytes of a key of HMAC-SHA-256. */
const STICKY_KEY_BYTES = 32;

export function poolTools(
  secrets: Secrets,
  counters: Pick<GatewayCounters, 'countRetry'>,
  send: (message: FromGateway) => void,
  warn: (message: string, fields: { readonly [key: string]: string | number }) => void,
): PoolTools {
  const throttle = new LogThrottle();
  return {
    stickyKeys: secrets.derive('sticky origins', STICKY_KEY_BYTES),
    openKey: (domainId, sealed) => ORIGINS.unseal(secrets, domainId, sealed).toString(),
    onEjected: (domainId, key, milliseconds) => send({ kind: 'origin-ejected', domainId, key, milliseconds }),
    onRetry: () => counters.countRetry(),
    onUnusable(domain, reason) {
      const count = throttle.due('unusable');
      if (count > 0) warn('cannot use the client certificate of an origin', { domain, reason, count });
    },
  };
}
