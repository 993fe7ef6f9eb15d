/**
 * What the store holds at the start, looked through without keeping the event loop from anything
 * else.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../../../core/store/environment.ts';

/** Rows that are looked at between two turns of the event loop: some milliseconds. */
const PIECE = 50;

/** `visit`: with the key of each row of the table; false: that is enough. */
export async function eachRow(environment: Environment, table: number, visit: (key: Buffer) => boolean): Promise<void> {
  const rows = environment.rows.get(table)!;
  let start: Buffer | undefined;
  for (;;) {
    const keys = [...rows.getKeys({ start, limit: PIECE })] as Buffer[];
    for (const key of keys) if (!visit(key)) return;
    if (keys.length < PIECE) return;
    start = Buffer.concat([keys[keys.length - 1], Uint8Array.of(0)]);
    await turn();
  }
}
