/** The whole store as text, to check that it does not change; and the clock, to expire its rows. */
import { createHash } from 'node:crypto';
import { write } from '../../../core/journal/draft/draft.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { installations } from '../../../core/store/rows.ts';
import type { Daemon } from '../daemon.ts';

type Table = Environment['answers'];

function tables(environment: Environment): [string, Table][] {
  const { lookups, answers, targets, zones, usage, journal, meta } = environment;
  const rows = [...environment.rows].map(([number, table]): [string, Table] => [`rows ${number}`, table]);
  return [...rows, ...Object.entries({ lookups, answers, targets, zones, usage, journal, meta })];
}

/** Keys and values of a table. */
export function entriesOf(table: Table): string[] {
  const found: string[] = [];
  for (const { key, value } of table.getRange({}))
    found.push(`${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`);
  return found;
}

/** A line for each table, with a hash of its content. */
export function snapshot(environment: Environment): string[] {
  environment.root.resetReadTxn();
  return tables(environment).map(([name, table]) => {
    const entries = entriesOf(table);
    return `${name}: ${entries.length} ${createHash('sha256').update(entries.join('\n')).digest('hex')}`;
  });
}

/** As after a restore. */
export async function pauseDeliveries({ environment, journal }: Daemon): Promise<void> {
  const restored = { from: 'a backup', sequence: 1, at: 1_700_000_000 };
  const row = { history: '0123456789abcdef', restored, isPaused: true, isLocal: false };
  await write(environment, journal, 'test', (draft) => draft.put(installations, row));
}

/** Shifts the clock of the process by some seconds while `work` runs. */
export async function later<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + seconds * 1000;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** Whether any table of the database contains a text. */
export function stored(daemon: Daemon, text: string): boolean {
  for (const table of [...daemon.environment.rows.values(), daemon.environment.journal, daemon.environment.lookups])
    for (const { key, value } of table.getRange({}))
      if (Buffer.from(key).includes(text) || value.includes(text)) return true;
  return false;
}
