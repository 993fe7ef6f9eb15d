/** The open streams of changes, and their wake-up after each change. */
import { RecentMap } from '../../core/base/recent-map.ts';
import { decodeEntry } from '../../core/journal/entry-codec.ts';
import { sequenceKey } from '../../core/store/keys.ts';
import type { Services } from '../change/services.ts';
import { type ObjectChange, objectChanges } from './object-changes.ts';
import { OpenStreams } from './open-streams.ts';

/** Minimum milliseconds between wake-ups, so that a read covers several groups of entries. */
const WAKE_INTERVAL = 20;

/** Maximum entries whose changes are cached for all streams. */
const MAX_REMEMBERED = 256;

/** The changes of an entry; `many`: too many to list; `gone`: the entry is no longer stored. */
export type EntryChanges = readonly ObjectChange[] | 'many' | 'gone';

export class EventStreams extends OpenStreams {
  readonly #services: Pick<Services, 'environment' | 'reader'>;
  readonly #remembered = new RecentMap<EntryChanges, number>(MAX_REMEMBERED);
  #timer: NodeJS.Timeout | null = null;

  constructor(services: Pick<Services, 'environment' | 'journal' | 'reader'>) {
    super();
    this.#services = services;
    services.journal.onApplied(() => this.#wakeSoon());
  }

  changesOf(sequence: number): EntryChanges {
    const remembered = this.#remembered.get(sequence);
    if (remembered !== undefined) return remembered;
    const { environment, reader } = this.#services;
    const bytes = environment.journal.get(sequenceKey(sequence));
    if (bytes === undefined) return 'gone';
    const changes = objectChanges(decodeEntry(bytes), reader) ?? 'many';
    this.#remembered.set(sequence, changes);
    return changes;
  }

  override close(): void {
    super.close();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #wakeSoon(): void {
    if (!this.isUsed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.wakeAll();
    }, WAKE_INTERVAL);
  }
}
