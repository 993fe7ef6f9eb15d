/** Registers what the protection watches as metrics. */
import type { Registry } from '../../base/metrics/index.ts';
import type { Protection } from './protection.ts';

export function protectionMetrics(registry: Registry, protection: Protection): void {
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
