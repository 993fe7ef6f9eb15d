/** Scans a table of the store at the start, in batches, without blocking the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../../../core/store/environment.ts';

/** Rows per turn of the event loop: some milliseconds. */
const BATCH = 50;

/** `visit`: called with the key of each row of the table; returns false to stop. */
export async function eachRow(environment: Environment, table: number, visit: (key: Buffer) => boolean): Promise<void> {
  const rows = environment.rows.get(table)!;
  let start: Buffer | undefined;
  for (;;) {
    const keys = [...rows.getKeys({ start, limit: BATCH })] as Buffer[];
    for (const key of keys) if (!visit(key)) return;
    if (keys.length < BATCH) return;
    start = Buffer.concat([keys[keys.length - 1], Uint8Array.of(0)]);
    await nextTurn();
  }
}
