/** Fills the index from the answers table when the daemon starts. */
import type { Environment } from '../environment.ts';
import { IndexWriter } from './writer.ts';

/** Reads every node once. `arenaBytes`: see IndexWriter. */
export function buildIndex(environment: Environment, arenaBytes: number): IndexWriter {
  const { entryCount } = environment.answers.getStats() as { entryCount: number };
  const index = new IndexWriter(arenaBytes, entryCount);
  for (const { value } of environment.answers.getRange({})) index.putNew(value);
  index.publish();
  return index;
}
