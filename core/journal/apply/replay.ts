/** Applies entries to a store that no daemon uses, to restore a later state. */
import type { Environment } from '../../store/environment.ts';
import { sequenceKey } from '../../store/keys.ts';
import { transact } from '../../store/transact.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { readHead, writeHead } from '../applied-head.ts';
import type { Entry } from '../entry-codec.ts';
import { applyEntries } from './apply-entries.ts';
import { discardBrokenHistories, noteHistoryWritten } from './domain-history.ts';
import type { Signers } from './signers.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdates } from './zone-updates.ts';

export interface ReplayedEntry {
  readonly entry: Entry;
  readonly bytes: Buffer;
}

/**
 * Applies entries in one transaction. `hash`: the hash of the last entry. The caller has checked
 * that the entries follow the head of the store. Rejects with the error of an entry that cannot be
 * applied; then nothing has changed.
 */
export async function replayEntries(
  environment: Environment,
  zoneSettings: ZoneSettings,
  signers: Signers | null,
  entries: readonly ReplayedEntry[],
  hash: Buffer,
): Promise<void> {
  discardBrokenHistories(environment, readHead(environment).sequence);
  const last = entries[entries.length - 1].entry.sequence;
  // Without an index, any name may be in the store.
  const isAmbiguous = (): boolean => true;
  const facts = new ZoneFacts(environment);
  const updates = new ZoneUpdates(environment, zoneSettings, isAmbiguous, facts, undefined, signers?.group());
  await transact(environment.root, () => {
    for (const { entry, bytes } of entries) environment.journal.put(sequenceKey(entry.sequence), bytes);
    applyEntries(environment, updates, entries);
    writeHead(environment, { sequence: last, hash });
    noteHistoryWritten(environment, last);
  });
  environment.root.resetReadTxn();
}
