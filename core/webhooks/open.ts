/** The delivery of webhooks as the configuration describes it. */
import { formatAddress, parseExemptions } from '../address/index.ts';
import type { Logger } from '../base/log/index.ts';
import type { Registry } from '../base/metrics/index.ts';
import type { Secrets } from '../base/secrets.ts';
import type { Config } from '../config/index.ts';
import type { Resolve } from '../dial/checked-connector.ts';
import type { Journal } from '../journal/journal.ts';
import { recursiveLookup } from '../resolver/resolver.ts';
import type { Environment } from '../store/environment.ts';
import { parseName } from '../wire/name.ts';
import { TYPE } from '../wire/types.ts';
import { Deliverer } from './deliverer.ts';
import { deliveryObserver, webhookMetrics } from './metrics.ts';
import { Sender } from './sender.ts';

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
    ...{ sender, nodeName: config.nodeName, isFirst: node.isFirst, userAgent: `Waypost/${version}` },
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

/** With DNS queries: the hosts file of this machine does not count. */
function resolveBy(servers: readonly string[], signal: AbortSignal): Resolve {
  const lookup = recursiveLookup(servers, signal);
  return async (host) => {
    const name = parseName(`${host.replace(/\.$/, '')}.`);
    const outcomes = await Promise.all([lookup(name, TYPE.A), lookup(name, TYPE.AAAA)]);
    const found = outcomes.flatMap((outcome) => (outcome.kind === 'addresses' ? outcome.addresses : []));
    const [failed] = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.error] : []));
    if (found.length === 0 && failed !== undefined) throw new Error(`cannot resolve ${host}: ${failed}`);
    return found.map(formatAddress);
  };
}
