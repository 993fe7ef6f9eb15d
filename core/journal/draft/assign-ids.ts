/** Gives the encoded records of a whole zone their ids, which only a commit knows. */
import { Steps } from '../../base/steps.ts';
import { type Id, writeId } from '../../store/keys.ts';
import { records } from '../../store/rows.ts';
import { visitKeys } from '../entry-codec.ts';

/** Changes between two looks at the clock. */
const CHUNK = 1024;

/**
 * Sets the domain of encoded changes, and the ids of the records in their order: `first` and those
 * after it.
 */
export async function assignIds(changes: Buffer, domainId: Id, first: Id): Promise<void> {
  const steps = new Steps();
  let id = first;
  for (let at = 0; at < changes.length; await steps.next())
    at = visitKeys(changes, at, CHUNK, (table, start, end) => {
      writeId(domainId, changes, start);
      if (table === records.number) writeId(id++, changes, end - 8);
    });
}
