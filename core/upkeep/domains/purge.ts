/**
 * Deletes domains of the bin for good: those that are gone, those whose time is over, and the
 * oldest of a full bin. Their rows are deleted in pieces, each a commit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import { Steps } from '../../base/steps.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { type Config, planLimit, planQuota } from '../../config/index.ts';
import { formatHost } from '../../dns/wire/name.ts';
import { write } from '../../journal/draft/draft.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey } from '../../store/keys.ts';
import {
  automaticCertificates,
  binPosition,
  certificates,
  comments,
  type DeletedDomain,
  deletedDomains,
  disabledRecords,
  furtherCertificates,
  keptPtrs,
  originHealth,
  proxies,
  records,
  rsaCertificates,
  siteDocuments,
  siteDocumentVersions,
  spellings,
  steerings,
  steeringVersions,
  zoneLabels,
} from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { discardDomain } from './bin.ts';

/** Tables whose keys begin with the id of a domain, and that keep the rows of the bin. */
const KEPT = [
  records,
  spellings,
  comments,
  keptPtrs,
  disabledRecords,
  proxies,
  certificates,
  automaticCertificates,
  furtherCertificates,
  rsaCertificates,
  siteDocuments,
  siteDocumentVersions,
  originHealth,
  steerings,
  steeringVersions,
  zoneLabels,
].map(({ number }) => number);

/** Domains that the bin of any account holds, and the maximum of accounts without a limit. */
const MIN_DOMAINS = 100;
const MAX_DOMAINS = 10_000;
/** Domains of a bin per read. */
const PAGE = 256;
/** Domains that are discarded in one commit. */
const DISCARDED = 100;
/** Milliseconds from a deletion to the look at the bin: an account may delete many domains. */
const TRIM_MS = 2000;

/** The author of the commits, whose events are not reported. */
const BY = 'bin';
/** Rows of a commit, which takes 10 to 30 ms of the main thread. */
const PIECE = 1000;
/** The pause after a commit, as a multiple of its duration. */
const PAUSE = 1;

interface PurgeOptions {
  readonly config: Pick<Config, 'plans' | 'quotas'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class DomainPurge {
  readonly #reader: StoreReader;
  readonly #now: () => number;
  readonly #task: Task;
  /** Accounts whose bins may be full. */
  readonly #grown = new Set<Id>();

  constructor(private readonly options: PurgeOptions) {
    const { environment, journal, tasks, log, now = Date.now } = options;
    this.#reader = new StoreReader(environment);
    this.#now = now;
    this.#task = tasks.add({
      name: 'deleted-domains',
      owner: 'first',
      due: () => this.#untilNext(),
      log,
      messages: ['cannot delete domains for good; retrying', 'domains are deleted for good again'],
      run: () => this.run(),
      standby: () => this.#grown.clear(),
    });
    journal.onDomain(({ accountId }, present) => {
      if (present) return;
      this.#grown.add(accountId);
      this.#task.wake(TRIM_MS);
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Resolves when the current commit is written. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  #untilNext(): number {
    const next = this.#reader.nextPurge();
    if (next === undefined) return Number.POSITIVE_INFINITY;
    return next.isGone ? 0 : next.purgeAt * 1000 - this.#now();
  }

  /** Deletes all domains that are due. */
  async run(): Promise<void> {
    for (const accountId of [...this.#grown]) {
      this.#grown.delete(accountId);
      await this.#trim(accountId);
    }
    while (!this.#task.isStopped && this.#untilNext() <= 0) {
      const next = this.#reader.nextPurge()!;
      if (next.isGone) await this.#deletePiece(next);
      else await this.#discard([next], ({ purgeAt }) => purgeAt * 1000 <= this.#now());
    }
  }

  /**
   * Discards the oldest domains of a bin above its limits: as many domains, records and bytes as
   * the plan allows in use.
   */
  async #trim(accountId: Id): Promise<void> {
    const account = this.#reader.account(accountId);
    if (account === undefined) return;
    const { config } = this.options;
    const { records: maxRecords, size: maxBytes } = planQuota(config, account.plan);
    const limit = planLimit(config.plans, account.plan);
    const maxDomains = limit === 0 ? MAX_DOMAINS : Math.min(MAX_DOMAINS, Math.max(MIN_DOMAINS, limit));
    const steps = new Steps();
    const over: DeletedDomain[] = [];
    const held = { domains: 0, records: 0, bytes: 0 };
    for (let after: Buffer | null = null; !this.#task.isStopped; ) {
      const page: DeletedDomain[] = this.#reader.deletedDomainsOf(accountId, after, PAGE);
      for (const deleted of page) {
        const { recordCount, bytes } = this.#reader.zoneState(deleted.domain.id);
        held.domains++;
        held.records += recordCount;
        held.bytes += bytes;
        const isOver =
          held.domains > maxDomains ||
          (maxRecords > 0 && held.records > maxRecords) ||
          (maxBytes > 0 && held.bytes > maxBytes);
        if (isOver) over.push(deleted);
      }
      if (page.length < PAGE) break;
      after = binPosition(page[page.length - 1]);
      await steps.next();
    }
    for (let at = 0; at < over.length && !this.#task.isStopped; at += DISCARDED)
      await this.#discard(over.slice(at, at + DISCARDED), () => true);
  }

  /** The domains cannot be restored from here on. */
  async #discard(all: readonly DeletedDomain[], isStillDue: (current: DeletedDomain) => boolean): Promise<void> {
    const { environment, journal, log } = this.options;
    await write(environment, journal, BY, (draft) => {
      for (const { domain, deletedAt } of all) {
        const current = draft.deletedDomain(domain.id);
        // It may have been restored in the meantime, and deleted again.
        if (current?.deletedAt === deletedAt && !current.isGone && isStillDue(current)) discardDomain(draft, current);
      }
    });
    for (const { domain, deletedAt } of all)
      log.info('a deleted domain leaves the bin', {
        domain: formatHost(domain.apex),
        deletedAt: new Date(deletedAt * 1000),
      });
  }

  async #deletePiece({ domain: { id } }: DeletedDomain): Promise<void> {
    const { environment, journal } = this.options;
    const { signal } = this.#task;
    const started = performance.now();
    await write(environment, journal, BY, (draft) => {
      const deleted = draft.deletedDomain(id);
      if (deleted?.isGone !== true) return;
      const changes = new ChangeWriter();
      addDeletions(environment, id, changes);
      if (changes.count > 0) draft.append(changes.content);
      // In an entry of its own, because applying the others needs the row.
      else draft.delete(deletedDomains, deleted);
    });
    await sleep((performance.now() - started) * PAUSE, undefined, { signal }).catch(() => {});
  }
}

/** Adds the deletions of the first rows of a domain. */
function addDeletions({ rows }: Environment, id: Id, changes: ChangeWriter): void {
  const start = idKey(id);
  const end = afterPrefix(start);
  for (const table of KEPT) {
    const limit = PIECE - changes.count;
    if (limit === 0) return;
    for (const key of rows.get(table)!.getKeys({ start, end, limit })) changes.delete(table, key as Buffer);
  }
}
