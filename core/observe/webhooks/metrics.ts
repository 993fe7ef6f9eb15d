/** Metrics of webhooks, from the node that delivers. */
import type { Registry } from '../../base/metrics/index.ts';
import type { DelivererCounts, DeliveryObserver } from './deliverer.ts';

/** Seconds; an attempt ends after ten. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function deliveryObserver(registry: Registry): DeliveryObserver {
  const attempts = registry.counter(
    'waypost_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, by result: delivered, retried later, or failed for good.',
    ['result'],
  );
  const durations = registry.histogram(
    'waypost_webhook_attempt_duration_seconds',
    'Duration of attempts to deliver an event.',
    [],
    DURATIONS,
  );
  const lost = registry.counter(
    'waypost_webhook_lost_entries_total',
    'Journal entries without events, since they were deleted before or cannot be read.',
    [],
  );
  return {
    attempted(result, seconds) {
      attempts.add(1, result);
      durations.observe(seconds);
    },
    lost: (entries) => lost.add(entries),
  };
}

export function webhookMetrics(registry: Registry, deliverer: { readonly counts: DelivererCounts }): void {
  registry.read(
    'gauge',
    'waypost_webhooks',
    'Webhooks by state, on the node that delivers: enabled, down (attempts fail in a row), or disabled.',
    ['state'],
    (emit) => {
      const { receivers, down, disabled } = deliverer.counts;
      emit(receivers - down - disabled, 'enabled');
      emit(down, 'down');
      emit(disabled, 'disabled');
    },
  );
  registry.read(
    'gauge',
    'waypost_webhook_pending_deliveries',
    'Deliveries that wait for their first attempt or a retry, on the node that delivers.',
    [],
    (emit) => emit(deliverer.counts.pending),
  );
}
