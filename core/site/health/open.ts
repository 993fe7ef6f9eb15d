/** Starts the health checks of origins from the configuration. */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { HealthKeeper } from './keeper.ts';
import type { Probe } from './probe.ts';

interface OpenHealthOptions {
  readonly config: Pick<Config, 'peer'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly tasks: Tasks;
  readonly probe: Probe;
  readonly metrics: Registry;
  readonly log: Logger;
}

export function openHealth({ config, ...options }: OpenHealthOptions): HealthKeeper {
  return new HealthKeeper({ ...options, region: config.peer.region });
}
