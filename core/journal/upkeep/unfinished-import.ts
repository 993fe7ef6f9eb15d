/** Finishes the steps of large zones that a crash has left (core/journal/apply/import-steps.ts). */
import type { Environment } from '../../store/environment.ts';
import { idKey } from '../../store/keys.ts';
import { imports } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { transact } from '../../store/transact.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { deleteHidden } from '../apply/import-entries.ts';
import { setUnserved, unservedDomains } from '../apply/imported-zone.ts';
import type { Signers } from '../apply/signers.ts';
import { ZoneUpdates } from '../apply/zone-updates.ts';
import { writeTargets } from '../record-targets.ts';

/** Steps of deleteHidden in a transaction. */
const STEPS = 500;

/**
 * Deletes records of imports that were withdrawn, and those that an import has replaced. Compiles
 * answers, or deletes those of domains in the bin. Records of an import in progress stay hidden
 * until its end, or until it is withdrawn (abandoned-imports.ts). Called before the store is
 * served. Null: there was nothing to do.
 */
export async function finishImport(
  environment: Environment,
  defaults: ZoneSettings,
  signers: Signers | null = null,
): Promise<{ deletedRecords: boolean; compiledAnswers: boolean } | null> {
  const { root, hidden, rows } = environment;
  const open = rows.get(imports.number)!;
  // Versions before the table had no row for an import in progress.
  const ranges = hidden
    .read()
    .filter(({ state, domainId }) => state !== 'imported' || !open.doesExist(idKey(domainId)));
  for (const range of ranges) {
    const steps = deleteHidden(environment, range);
    for (let isDone = false; !isDone; )
      await transact(root, () => {
        for (let i = 0; i < STEPS && !isDone; i++) isDone = steps.next().done === true;
      });
    root.resetReadTxn();
  }
  const unserved = unservedDomains(environment);
  for (const domainId of unserved) {
    const reader = new StoreReader(environment);
    const domain = reader.domain(domainId);
    const deleted = reader.deletedDomain(domainId)?.domain;
    await transact(root, () => {
      const updates = new ZoneUpdates(environment, defaults, () => false, undefined, undefined, signers?.group());
      if (domain !== undefined) {
        // Those of a restored zone may be missing.
        writeTargets(environment, domain);
        updates.compileAll(domain);
      } else if (deleted !== undefined) updates.deleteAll(deleted);
      setUnserved(environment, domainId, false);
    });
    root.resetReadTxn();
  }
  const [deletedRecords, compiledAnswers] = [ranges.length > 0, unserved.length > 0];
  return deletedRecords || compiledAnswers ? { deletedRecords, compiledAnswers } : null;
}
