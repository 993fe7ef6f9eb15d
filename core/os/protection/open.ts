/** Starts the protection of the daemon from its configuration. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import { type Config, formatBytes, memoryOf } from '../../config/index.ts';
import { diskSpace } from '../disk-space.ts';
import { Protection } from './protection.ts';

/** Nine tenths of 256 MB: with less, the daemon starts, but refuses visitors soon. */
const MINIMUM_MEMORY = 230 * 1024 ** 2;

interface ProtectionOptions {
  readonly config: Pick<Config, 'dataDir' | 'protection'>;
  /** Returns garbage of all threads to the system (Reclaimer). */
  readonly reclaim: () => void;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
}

export function openProtection({ config, metrics, reclaim, tasks, log }: ProtectionOptions): Protection {
  const { dataDir, protection: settings } = config;
  const limit = descriptorLimit() ?? 0;
  const memory = memoryOf(config);
  if (memory < MINIMUM_MEMORY)
    log.warn('less memory than the minimum', { memory: formatBytes(memory), minimum: formatBytes(MINIMUM_MEMORY) });
  const protection = new Protection({
    budgets: {
      get memory() {
        return settings.memory;
      },
      get descriptors() {
        return settings.descriptors ?? limit;
      },
      get diskReserve() {
        return settings.diskReserve;
      },
    },
    usage: { memory: ownMemory, descriptors: openDescriptors, disk: () => diskSpace(dataDir) },
    reclaim,
    tasks,
    log,
  });
  protectionMetrics(metrics, protection);
  protection.start();
  return protection;
}

/** Registers what the protection watches as metrics. */
function protectionMetrics(registry: Registry, protection: Protection): void {
  const gauge = (name: string, help: string, value: () => number): void =>
    registry.read('gauge', name, help, [], (emit) => {
      const current = value();
      if (!Number.isNaN(current)) emit(current);
    });
  gauge('waypost_protection_load_level', 'Level of load: 0 normal to 3 refuse_requests.', () => protection.load);
  gauge('waypost_protection_disk_level', 'Level of the disk: 0 normal to 3 full.', () => protection.storage.level);
  gauge('waypost_protection_memory_bytes', 'Memory that only this process can free.', () => protection.reading.memory);
  gauge(
    'waypost_protection_memory_budget_bytes',
    'protection.memory; 0: not watched.',
    () => protection.budgets.memory,
  );
  gauge('process_open_fds', 'Open descriptors.', () => protection.reading.descriptors);
  gauge('process_max_fds', 'Budget of open descriptors; 0: not watched.', () => protection.budgets.descriptors);
  gauge('waypost_disk_free_bytes', 'Free space of the data folder.', () => protection.reading.diskFree);
  gauge(
    'waypost_disk_reserve_bytes',
    'Free space below which writes are refused.',
    () => protection.reading.diskReserve,
  );
}

/**
 * What this process uses of the machine, read from the kernel.
 *
 * Bytes of memory that only this process can free: anonymous and shared pages, also swapped ones.
 * Pages of the database file are left out, since the system takes them back by itself. Null: not
 * known on this system.
 */
export function ownMemory(): number | null {
  let status: string;
  try {
    status = readFileSync('/proc/self/status', 'latin1');
  } catch {
    return null;
  }
  let kilobytes = 0;
  let isKnown = false;
  for (const name of ['RssAnon', 'RssShmem', 'VmSwap']) {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
    if (match === null) continue;
    isKnown ||= name === 'RssAnon';
    kilobytes += Number(match[1]);
  }
  return isKnown ? kilobytes * 1024 : null;
}

/** Open descriptors. Linux 6.2 and later counts them; before, they are listed. Null: not known. */
export function openDescriptors(): number | null {
  try {
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** The limit of open descriptors (RLIMIT_NOFILE). Null: unlimited, or not known. */
export function descriptorLimit(): number | null {
  try {
    const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return match === null ? null : Number(match[1]);
  } catch {
    return null;
  }
}
