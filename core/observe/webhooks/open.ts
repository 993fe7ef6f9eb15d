/** The delivery of webhooks as the configuration describes it. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import { resolveBy } from '../../net/delivery/resolve.ts';
import { Sender } from '../../net/delivery/sender.ts';
import type { Environment } from '../../store/environment.ts';
import { Deliverer } from './deliverer.ts';
import { deliveryObserver, webhookMetrics } from './metrics.ts';

export interface OpenWebhooksOptions {
  readonly config: Pick<Config, 'webhooks' | 'nodeName'>;
  readonly version: string;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly node: { readonly isFirst: () => boolean };
}

const DAY = 86_400;

/** The deliverer is not started yet. */
export function openWebhooks({ config, version, metrics, node, ...parts }: OpenWebhooksOptions): {
  start(): void;
  stop(): Promise<void>;
} {
  const { allowPrivateReceivers, resolvers, firstRetry, retryFor, keepDays } = config.webhooks;
  const stop = new AbortController();
  const sender = new Sender({
    rule: { exemptions: parseExemptions(allowPrivateReceivers), own: [] },
    resolve: resolveBy(resolvers, stop.signal),
  });
  const deliverer = new Deliverer({
    ...parts,
    sender,
    nodeName: config.nodeName,
    isFirst: node.isFirst,
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
