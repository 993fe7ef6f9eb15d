/**
 * Withdraws imports whose node has stopped, so that their hidden records are deleted
 * (core/journal/apply/import-entries.ts): each node its own imports of before its start, and one
 * node those that no longer proceed.
 */
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { type ImportRow, imports } from '../../store/rows.ts';
import { write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';

/** Milliseconds between looks. */
const LOOK_MS = 1000;
/** Milliseconds without another entry after which an import of another node is withdrawn. */
const STALE_MS = 20_000;
const BY = 'imports';

interface AbandonedOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly isAlone: boolean;
  /** The name of this node in a cluster. */
  readonly nodeName: string;
}

/** An import of another node, and since when it does not proceed: a time of performance.now(). */
interface Seen {
  readonly row: ImportRow;
  readonly since: number;
}

export function startAbandonedImports(options: AbandonedOptions): Task {
  const { environment, journal, tasks, log, isAlone, nodeName } = options;
  let seen = new Map<Id, Seen>();
  const task = tasks.add({
    name: 'abandoned-imports',
    owner: 'rank',
    first: 0,
    due: LOOK_MS,
    log,
    messages: ['cannot withdraw an import that was interrupted', 'imports that were interrupted are withdrawn again'],
    async run() {
      const current = new Map<Id, Seen>();
      for (const row of importsIn(environment)) {
        const { domainId } = row;
        const before = seen.get(domainId);
        const isSame = before?.row.firstId === row.firstId && before.row.written === row.written;
        const since = isSame ? before.since : performance.now();
        current.set(domainId, { row, since });
        const isOwn = isAlone || row.node === nodeName;
        const isStale = performance.now() - since > STALE_MS && tasks.rank(`import ${domainId}`) === 0;
        if (isOwn ? journal.isImporting(row) : !isStale) continue;
        if (await withdrawImport(environment, journal, row))
          log.info('withdrew an import that was interrupted', { domain_id: domainId, node: row.node });
      }
      seen = current;
    },
  });
  task.start();
  return task;
}

/** The imports that are in progress, or that were interrupted. */
export function importsIn({ rows }: Pick<Environment, 'rows'>): ImportRow[] {
  return Array.from(rows.get(imports.number)!.getRange({}), ({ key, value }) => imports.decode(key, value));
}

/** Resolves with false if the import has ended. Rejects like a commit. */
export async function withdrawImport(environment: Environment, journal: Journal, row: ImportRow): Promise<boolean> {
  const { result } = await write(environment, journal, BY, (draft) => {
    const stored = draft.row(imports, imports.key(row));
    if (stored?.firstId !== row.firstId) return false;
    draft.delete(imports, stored);
    return true;
  });
  return result;
}
