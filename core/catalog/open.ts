/** The consumer of catalogs as the configuration describes it. */
import type { Logger } from '../base/log/index.ts';
import type { Registry } from '../base/metrics/index.ts';
import { type Config, planLimit } from '../config/index.ts';
import type { Journal } from '../journal/journal.ts';
import type { Environment } from '../store/environment.ts';
import { StoreReader } from '../store/reader.ts';
import type { ZoneSettings } from '../zone/settings.ts';
import { CatalogConsumer } from './consumer.ts';

export interface OpenCatalogsOptions {
  readonly config: Pick<Config, 'plans'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly node: { readonly isFirst: () => boolean };
}

/** The consumer is not started yet. */
export function openCatalogs({ config, metrics, node, ...parts }: OpenCatalogsOptions): CatalogConsumer {
  const reader = new StoreReader(parts.environment);
  const consumer = new CatalogConsumer({
    ...parts,
    isFirst: node.isFirst,
    limitOf(accountId) {
      const account = reader.account(accountId);
      return account === undefined ? 0 : planLimit(config.plans, account.plan);
    },
  });
  metrics.read('gauge', 'waypost_catalogs_broken', 'Consumed catalog zones that are not processed.', [], (emit) =>
    emit(consumer.problems),
  );
  return consumer;
}
