/** Creates the consumer of catalogs from the configuration. */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { type AdmissionSettings, DomainAdmission } from '../domains/admission.ts';
import { CatalogConsumer } from './consumer.ts';

interface OpenCatalogsOptions {
  readonly config: AdmissionSettings;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly tasks: Tasks;
}

/** The consumer is not started yet. */
export function openCatalogs({ config, metrics, ...parts }: OpenCatalogsOptions): CatalogConsumer {
  const admission = new DomainAdmission(config);
  const consumer = new CatalogConsumer({ ...parts, admission });
  metrics.read('gauge', 'waypost_catalogs_broken', 'Consumed catalog zones that are not processed.', [], (emit) =>
    emit(consumer.problems),
  );
  return consumer;
}
