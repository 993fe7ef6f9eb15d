/** Starts the delivery of request logs from the configuration. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import { formatHost } from '../../dns/wire/name.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Attempt } from '../../net/delivery/sender.ts';
import type { Environment } from '../../store/environment.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type DomainLines, LogDeliverer, type NodeLogState } from './deliverer.ts';
import { LOGS } from './document.ts';
import type { LogSender } from './send.ts';

interface OpenLogDeliveryOptions {
  readonly config: Pick<Config, 'webhooks' | 'nodeName'>;
  readonly version: string;
  readonly environment: Environment;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
}

export interface LogDelivery {
  receive(lines: readonly DomainLines[]): void;
  stateOf(domainId: number): NodeLogState;
  /** Null: the domain delivers no logs. */
  test(domainId: number, line: string): Promise<Attempt | null>;
  /** Subscribes to changes of domains. */
  follow(journal: Pick<Journal, 'onEdge'>): void;
  stop(): Promise<void>;
}

export function openLogDelivery({
  config: { webhooks, nodeName },
  version,
  environment,
  secrets,
  metrics,
  tasks,
  log,
}: OpenLogDeliveryOptions): LogDelivery {
  const reader = new StoreReader(environment);
  const stop = new AbortController();
  let sender: LogSender | null = null;
  const openSender = async (): Promise<LogSender> => {
    // Loaded with the first batch: an HTTP client takes long to load, and the nameserver waits.
    const { openLogSender } = await import('./send.ts');
    sender ??= openLogSender({
      webhooks,
      signal: stop.signal,
      secrets,
      nodeName,
      userAgent: `Waypost/${version}`,
      domainName(domainId) {
        const domain = reader.domain(domainId);
        return domain && formatHost(domain.apex);
      },
    });
    return sender;
  };
  const deliverer = new LogDeliverer({
    nodeName,
    tasks,
    log,
    accountOf: (domainId) => reader.domain(domainId)?.accountId,
    readDocument: (domainId) => LOGS.content(reader, domainId),
    send: async (...batch) => (await openSender()).send(...batch),
    isPaused: () => reader.areDeliveriesPaused(),
    release: (domainId) => sender?.release(domainId),
  });
  expose(metrics, deliverer);
  deliverer.start();
  return {
    receive: (lines) => deliverer.receive(lines),
    stateOf: (domainId) => deliverer.stateOf(domainId),
    test: (domainId, line) => deliverer.test(domainId, line),
    follow: (journal) => journal.onEdge(({ domainIds }) => deliverer.forget(domainIds)),
    async stop() {
      await deliverer.stop();
      stop.abort(new Error('the service is stopping'));
      sender?.close();
    },
  };
}

function expose(metrics: Registry, deliverer: LogDeliverer): void {
  metrics.read(
    'counter',
    'waypost_log_lines_total',
    'Lines of request logs of customers, by result: delivered, or dropped because a receiver was too slow or failed.',
    ['result'],
    (emit) => {
      const { delivered, dropped } = deliverer.counts;
      emit(delivered, 'delivered');
      emit(dropped, 'dropped');
    },
  );
  metrics.read('gauge', 'waypost_log_waiting_bytes', 'Bytes of request logs that wait for delivery.', [], (emit) =>
    emit(deliverer.counts.bytes),
  );
}
