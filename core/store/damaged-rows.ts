/**
 * Rows whose bytes cannot be decoded, after a fault of the disk or the memory. Work that reads a
 * whole table leaves them out: one row must not stop the work for all others.
 */
import type { Logger } from '../base/log/index.ts';
import type { Table } from './rows/table.ts';

export type OnDamaged = (table: string, key: Uint8Array, error: unknown) => void;

/** Undefined: the row is damaged, which is reported. */
export function decodeReadable<Row>(
  table: Table<Row>,
  key: Uint8Array,
  value: Uint8Array,
  onDamaged: OnDamaged = () => {},
): Row | undefined {
  try {
    return table.decode(key, value);
  } catch (error) {
    onDamaged(table.name, key, error);
    return undefined;
  }
}

/** Logs each damaged row once. */
export function logDamaged(log: Logger): OnDamaged {
  const logged = new Set<string>();
  return (table, key, error) => {
    const id = `${table} ${Buffer.from(key).toString('hex')}`;
    if (logged.has(id)) return;
    logged.add(id);
    log.error('damaged row left out', { table, key: id.slice(table.length + 1), reason: (error as Error).message });
  };
}
