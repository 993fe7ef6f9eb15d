/** The stores of nodes, byte for byte. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readHead } from '../../../../core/journal/applied-head.ts';
import { type Binary, openEnvironment } from '../../../../core/store/environment.ts';

/** Milliseconds for which something may still be written in the background. */
const QUIET = 20_000;

interface Content {
  readonly head: string;
  /** `table key` to value, in hexadecimal: rows, and what follows from them. */
  readonly entries: ReadonlyMap<string, string>;
  /** Sequence to entry. Each node forgets its own in steps. */
  readonly journal: ReadonlyMap<string, string>;
}

/**
 * Throws Error with what differs; waits for all to stand at one entry. `folders` by name of node.
 * Returns how many entries each holds.
 */
export async function compareStores(folders: ReadonlyMap<string, string>): Promise<number> {
  for (const deadline = Date.now() + QUIET; ; await sleep(200)) {
    const contents = new Map<string, Content>();
    for (const [name, folder] of folders) contents.set(name, await contentOf(folder));
    const heads = new Set([...contents.values()].map(({ head }) => head));
    if (heads.size === 1) return compare(contents);
    if (Date.now() > deadline)
      throw new Error(
        `nodes stand elsewhere: ${[...contents].map(([name, { head }]) => `${name} ${head}`).join(', ')}`,
      );
  }
}

/** Of a folder that a daemon may have open. */
async function contentOf(folder: string): Promise<Content> {
  const environment = openEnvironment(folder);
  try {
    const { rows, lookups, answers, targets, aliases, zones, usage, journal } = environment;
    const entries = new Map<string, string>();
    const derived = { lookups, answers, targets, aliases, zones, usage };
    const read = (name: string, table: Binary, into: Map<string, string>): void => {
      for (const { key, value } of table.getRange({}))
        into.set(`${name} ${Buffer.from(key).toString('hex')}`, value.toString('hex'));
    };
    for (const [number, table] of rows) read(`rows ${number}`, table, entries);
    for (const [name, table] of Object.entries(derived)) read(name, table, entries);
    const log = new Map<string, string>();
    read('journal', journal, log);
    const { sequence, hash } = readHead(environment);
    return { head: `${sequence} ${hash.toString('hex')}`, entries, journal: log };
  } finally {
    await environment.close();
  }
}

function compare(contents: ReadonlyMap<string, Content>): number {
  const [[firstName, first], ...others] = contents;
  for (const [name, { entries, journal }] of others) {
    const keys = new Set([...first.entries.keys(), ...entries.keys()]);
    const differing = [...keys].filter((key) => first.entries.get(key) !== entries.get(key));
    if (differing.length > 0) {
      const [key] = differing;
      throw new Error(
        `${firstName} and ${name} differ in ${differing.length} of ${keys.size} entries, as in ${key}: ${first.entries.get(key)} and ${entries.get(key)}`,
      );
    }
    for (const [key, value] of journal)
      if (first.journal.has(key) && first.journal.get(key) !== value)
        throw new Error(`${firstName} and ${name} differ in ${key}`);
  }
  return first.entries.size;
}
