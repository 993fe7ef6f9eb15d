/**
 * Decides which entries stay in the journal table: the last entries by number, or fewer if they are
 * large. Entries are deleted in batches, since their pages are far from the other pages that a
 * group writes.
 */
import type { Environment } from '../../store/environment.ts';
import { sequenceKey } from '../../store/keys.ts';
import { WEBHOOK_QUEUE_KEY, webhookQueues, webhooks } from '../../store/rows.ts';

/** Maximum number of entries held for webhooks. */
const MAX_HELD = 100_000;

interface RetentionLimits {
  /** The number of entries that are kept for nodes that are behind. */
  readonly history: number;
  /** Bytes of the table above which fewer entries are kept. */
  readonly historyBytes: number;
}

/** Entries are deleted in batches of this size. */
const DELETE_BATCH = 256;
/**
 * The table is measured after 1/16 of its byte limit was written. The same share is deleted at a
 * time.
 */
const SHARE = 16;

export class Retention {
  /** The oldest entry that is still in the journal table. */
  #oldest: number;
  /** Bytes written since the table was measured. */
  #written = Number.POSITIVE_INFINITY;
  /** The values after the transaction in progress. */
  #trimmed: { readonly oldest: number; readonly written: number } | null = null;

  /** `head`: sequence of the last entry. */
  constructor(
    private readonly environment: Environment,
    private readonly limits: RetentionLimits,
    head: number,
  ) {
    this.#oldest = head + 1;
    for (const key of environment.journal.getKeys({ limit: 1 })) this.#oldest = (key as Buffer).readUIntBE(2, 6);
  }

  get oldest(): number {
    return this.#oldest;
  }

  /**
   * Deletes entries inside a write transaction, which makes `sequence` the last entry and adds
   * `bytes`. `accept` must follow if the transaction succeeds.
   */
  trim(sequence: number, bytes: number): void {
    const { history, historyBytes } = this.limits;
    const kept = sequence - history + 1;
    const isDue = kept - this.#oldest >= Math.min(DELETE_BATCH, history >> 5);
    const oldest = isDue ? Math.max(this.#oldest, this.#allowed(kept - 1) + 1) : this.#oldest;
    for (let old = this.#oldest; old < oldest; old++) this.environment.journal.remove(sequenceKey(old));
    const written = this.#written + bytes;
    const isMeasured = written >= historyBytes / SHARE;
    this.#trimmed = isMeasured ? { oldest: this.#trimBytes(oldest, sequence), written: 0 } : { oldest, written };
  }

  accept(): void {
    if (this.#trimmed === null) return;
    this.#oldest = this.#trimmed.oldest;
    this.#written = this.#trimmed.written;
    this.#trimmed = null;
  }

  #trimBytes(oldest: number, sequence: number): number {
    const { journal } = this.environment;
    const { historyBytes } = this.limits;
    let surplus = sizeOf(journal) - (historyBytes - historyBytes / SHARE);
    if (surplus < historyBytes / SHARE) return oldest;
    // The last entry stays: other nodes need the latest writes.
    const end = this.#allowed(sequence - 1) + 1;
    let next = oldest;
    for (; next < end && surplus > 0; next++) {
      surplus -= journal.get(sequenceKey(next))?.length ?? 0;
      journal.remove(sequenceKey(next));
    }
    return next;
  }

  #allowed(wanted: number): number {
    return heldAfter(this.environment, wanted);
  }
}

/** Bytes of the pages of a table. */
function sizeOf(table: Environment['journal']): number {
  const stats = table.getStats() as Readonly<Record<string, number>>;
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = stats;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

/**
 * Returns the last entry that may be deleted. `wanted`: the last entry that the limits delete.
 *
 * Entries that webhooks have not read yet stay in the journal beyond its history, so that no event
 * is lost. The delivering node reads within milliseconds. Entries are held only while no node
 * delivers.
 */
export function heldAfter({ rows }: Pick<Environment, 'rows'>, wanted: number): number {
  if (wanted <= 0) return wanted;
  const value = rows.get(webhookQueues.number)!.get(WEBHOOK_QUEUE_KEY);
  if (value === undefined) return wanted;
  const { position } = webhookQueues.decode(WEBHOOK_QUEUE_KEY, value);
  if (position >= wanted) return wanted;
  let since = Number.POSITIVE_INFINITY;
  for (const { key, value: row } of rows.get(webhooks.number)!.getRange({})) {
    const webhook = webhooks.decode(key, row);
    if (webhook.enabled) since = Math.min(since, webhook.since);
  }
  return Math.max(Math.min(wanted, Math.max(position, since)), wanted - MAX_HELD);
}
