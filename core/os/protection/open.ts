/** Starts the protection of the daemon from its configuration. */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import { diskSpace } from '../disk-space.ts';
import { protectionMetrics } from './metrics.ts';
import { Protection } from './protection.ts';
import { descriptorLimit, openDescriptors, ownMemory } from './usage.ts';

export interface ProtectionOptions {
  readonly config: Pick<Config, 'dataDir' | 'protection'>;
  readonly metrics: Registry;
  readonly log: Logger;
}

export function openProtection({ config, metrics, log }: ProtectionOptions): Protection {
  const { dataDir, protection: settings } = config;
  const protection = new Protection({
    budgets: {
      memory: settings.memory,
      descriptors: settings.descriptors ?? descriptorLimit() ?? 0,
      diskReserve: settings.diskReserve,
    },
    usage: { memory: ownMemory, descriptors: openDescriptors, disk: () => diskSpace(dataDir) },
    log,
  });
  protectionMetrics(metrics, protection);
  protection.start();
  return protection;
}
