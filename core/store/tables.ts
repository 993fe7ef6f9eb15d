import type { Environment } from './environment.ts';
import { TABLES } from './rows.ts';

/** The tables of the store by name. */
export function tablesOf({
  rows,
  lookups,
  answers,
  targets,
  aliases,
  zones,
  sites,
  nsec3,
  history,
  journal,
}: Environment): Map<string, Pick<Environment['zones'], 'getStats'>> {
  const tables = new Map<string, Pick<Environment['zones'], 'getStats'>>(
    [...TABLES].map(([number, { name }]) => [name, rows.get(number)!]),
  );
  for (const [name, table] of Object.entries({
    lookups,
    answers,
    targets,
    aliases,
    zones,
    sites,
    nsec3,
    history,
    journal,
  }))
    tables.set(name, table);
  return tables;
}
