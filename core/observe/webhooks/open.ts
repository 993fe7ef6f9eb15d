/** Starts the delivery of webhooks from the configuration. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import { Sender } from '../../net/delivery/sender.ts';
import { resolveBy } from '../../net/dial/checked-connector.ts';
import type { Environment } from '../../store/environment.ts';
import { Deliverer, type DelivererCounts, type DeliveryObserver } from './deliverer.ts';

/** Bounds of a histogram in seconds; an attempt times out after ten. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics of webhooks for the delivering node. */
function deliveryObserver(registry: Registry): DeliveryObserver {
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

function webhookMetrics(registry: Registry, deliverer: { readonly counts: DelivererCounts }): void {
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

interface OpenWebhooksOptions {
  readonly config: Pick<Config, 'webhooks' | 'nodeName'>;
  readonly version: string;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly tasks: Tasks;
}

const DAY = 86_400;

/** Returns the deliverer without starting it. */
export function openWebhooks({ config, version, metrics, ...parts }: OpenWebhooksOptions): {
  start(): void;
  stop(): Promise<void>;
} {
  const { allowPrivateReceivers, firstRetry, retryFor, keepDays } = config.webhooks;
  const stop = new AbortController();
  const sender = new Sender({
    rule: { exemptions: parseExemptions(allowPrivateReceivers), own: [] },
    resolve: resolveBy(() => config.webhooks.resolvers, stop.signal),
  });
  const deliverer = new Deliverer({
    ...parts,
    sender,
    nodeName: config.nodeName,
    userAgent: `Waypost/${version}`,
    retries: { first: firstRetry, total: retryFor },
    // A delivery is not deleted while it is retried.
    keep: Math.max(keepDays * DAY, retryFor + DAY),
    observer: deliveryObserver(metrics),
  });
  webhookMetrics(metrics, deliverer);
  return {
    start: () => deliverer.start(),
    stop() {
      stop.abort(new Error('the service is stopping'));
      return deliverer.stop();
    },
  };
}
