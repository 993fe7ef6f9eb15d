/** Finishes what a crash has left of a large import (core/journal/apply/staged-import.ts). */
import type { Environment } from '../../store/environment.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { transact } from '../../store/transact.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { Signers } from '../apply/signers.ts';
import { deleteHidden, setUnserved, unservedDomain } from '../apply/staged-import.ts';
import { ZoneUpdates } from '../apply/zone-updates.ts';

/** Steps of deleteHidden in a transaction. */
const STEPS = 500;

/**
 * Deletes records of an import that was not committed, or that one has replaced, and compiles
 * answers. Called before the store is served. Null: no import was interrupted.
 */
export async function finishImport(
  environment: Environment,
  defaults: ZoneSettings,
  signers: Signers | null = null,
): Promise<{ deletedRecords: boolean; compiledAnswers: boolean } | null> {
  const { root, hidden } = environment;
  const range = hidden.read();
  if (range !== null) {
    const steps = deleteHidden(environment, range);
    for (let isDone = false; !isDone; )
      await transact(root, () => {
        for (let i = 0; i < STEPS && !isDone; i++) isDone = steps.next().done === true;
      });
    root.resetReadTxn();
  }
  const domainId = unservedDomain(environment);
  if (domainId === null) return range === null ? null : { deletedRecords: true, compiledAnswers: false };
  const domain = new StoreReader(environment).domain(domainId);
  await transact(root, () => {
    if (domain !== undefined)
      new ZoneUpdates(environment, defaults, () => false, undefined, undefined, signers?.group()).compileAll(domain);
    setUnserved(environment, null);
  });
  root.resetReadTxn();
  return { deletedRecords: range !== null, compiledAnswers: true };
}
