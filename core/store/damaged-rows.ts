/**
 * Rows that cannot be decoded after a disk or memory fault. Full scans skip and report them, so
 * that a damaged row does not stop the scan.
 */
import type { Logger } from '../base/log/index.ts';
import type { Table } from './rows/table.ts';

export type OnDamaged = (table: string, key: Uint8Array, error: unknown) => void;

/** Decodes a row. Undefined: the row is damaged; `onDamaged` was called. */
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
    log.error('damaged row skipped', { table, key: id.slice(table.length + 1), reason: (error as Error).message });
  };
}
