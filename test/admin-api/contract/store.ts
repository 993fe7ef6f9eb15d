/** The whole store as text, to check that it does not change. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../../core/store/environment.ts';

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
