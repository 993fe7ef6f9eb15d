/** Metrics of certificates. */

import type { Registry } from '../../../core/base/metrics/index.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { SslStatus } from '../../../core/store/rows.ts';
import type { OrderObserver, Watched } from './orders.ts';

/** Seconds. */
const DURATIONS = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 240];
const STATUSES: readonly SslStatus[] = ['none', 'pending', 'active', 'renewing', 'error'];
const DAY = 86_400;

export function orderObserver(registry: Registry): OrderObserver {
  const orders = registry.counter(
    'waypost_acme_orders_total',
    'Orders of certificates by result: issued, cancelled, or why they failed.',
    ['result'],
  );
  const durations = registry.histogram(
    'waypost_acme_order_duration_seconds',
    'Duration of certificate orders that succeeded.',
    [],
    DURATIONS,
  );
  return {
    ended(result, seconds) {
      orders.add(1, result);
      if (result === 'issued') durations.observe(seconds);
    },
  };
}

export function acmeMetrics(registry: Registry, watched: ReadonlyMap<Id, Watched>, now: () => number): void {
  registry.read('gauge', 'waypost_certificates', 'Domains by the state of their certificate.', ['status'], (emit) => {
    const counts = new Map<SslStatus, number>(STATUSES.map((status) => [status, 0]));
    for (const { status } of watched.values()) counts.set(status, counts.get(status)! + 1);
    for (const [status, count] of counts) if (status !== 'none') emit(count, status);
  });
  registry.read(
    'gauge',
    'waypost_certificate_nearest_expiry_days',
    'Days until the next of the ordered certificates expires that is served; none: there is none.',
    [],
    (emit) => {
      let nearest = Number.POSITIVE_INFINITY;
      for (const { notAfter, isServed } of watched.values())
        if (notAfter !== null && isServed) nearest = Math.min(nearest, notAfter);
      if (Number.isFinite(nearest)) emit((nearest - now()) / DAY);
    },
  );
}
