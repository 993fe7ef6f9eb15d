/**
 * The part of a journal that does not depend on the storage of the log: commits wait in a queue,
 * one task runs at a time, and listeners are called after a group is applied.
 */
import { UnavailableError } from '../base/errors.ts';
import type { Id } from '../store/keys.ts';
import type { Table } from '../store/rows.ts';
import { StoreReader } from '../store/store-reader.ts';
import { Applier, type ApplierOptions } from './apply/applier.ts';
import type { StagedImport } from './apply/staged-import.ts';
import { CommitQueue, type JournalObserver } from './commit/commit-queue.ts';
import { Quotas } from './commit/quotas.ts';
import { RecentWrites } from './commit/recent-writes.ts';
import { type ClusterLevel, FIRST_LEVEL, levelRefusal, OWN_LEVEL } from './feature-level.ts';
import { IdLeases } from './ids/id-leases.ts';
import type {
  AccountQuota,
  AnswerChanges,
  CommitClock,
  CommitRequest,
  Committed,
  DomainListener,
  EdgeChanges,
  Journal,
  StorageGuard,
} from './journal.ts';

export interface JournalOptions extends ApplierOptions {
  readonly observer?: JournalObserver;
  /** Omitted: the clock of the machine, which is always trusted. */
  readonly clock?: CommitClock;
  /** The feature level of the cluster; omitted: a single node with the level of this program. */
  readonly clusterLevel?: () => ClusterLevel;
  /** Null: the account has no limits; omitted: no account has limits. */
  readonly quotaOf?: (accountId: Id) => AccountQuota | null;
}

const MACHINE_CLOCK: CommitClock = { now: () => Date.now(), refusal: () => null };

export abstract class LocalJournal implements Journal {
  readonly ids: IdLeases;
  protected readonly applier: Applier;
  protected readonly recent: RecentWrites;
  protected readonly queue = new CommitQueue();
  protected readonly observer: JournalObserver | undefined;
  protected readonly clock: CommitClock;
  protected isClosed = false;
  readonly #storage: StorageGuard | undefined;
  readonly #clusterLevel: () => ClusterLevel;
  readonly #quotas: Quotas | null;
  #running: Promise<void> | null = null;

  constructor(options: JournalOptions) {
    const { environment, observer, storage, clusterLevel = () => OWN_LEVEL, quotaOf } = options;
    this.clock = options.clock ?? MACHINE_CLOCK;
    this.#storage = storage;
    this.#clusterLevel = clusterLevel;
    this.applier = new Applier(options);
    this.recent = new RecentWrites(this.applier.head.sequence, (table, key) => environment.rows.get(table)?.get(key));
    this.observer = observer;
    this.ids = new IdLeases({ environment, journal: this });
    const quotas = quotaOf === undefined ? null : new Quotas({ stored: new StoreReader(environment), quotaOf });
    this.#quotas = quotas;
    if (quotas === null) return;
    this.onCredentials(() => quotas.forgetAccounts());
    this.onDomain(({ id }) => quotas.forgetDomain(id));
  }

  get head(): number {
    return this.applier.head.sequence;
  }

  /** The oldest entry that this node still has. */
  get oldest(): number {
    return this.applier.oldest;
  }

  canStore({ level = FIRST_LEVEL }: Pick<Table<unknown>, 'level'>): boolean {
    return level <= (this.#clusterLevel().agreed ?? FIRST_LEVEL);
  }

  commit(request: CommitRequest): Promise<Committed> {
    if (this.isClosed)
      return Promise.reject(new UnavailableError('stopping', 'The service is stopping; nothing was written.'));
    const refusal =
      this.#storage?.refusalOf(request.by) ??
      this.clock.refusal() ??
      levelRefusal(request.changes, this.#clusterLevel());
    if (refusal !== null) return Promise.reject(refusal);
    if (this.#quotas === null) return this.enqueue(request);
    return this.#quotas.run(request, () => this.enqueue(request));
  }

  /** Appends a request that is allowed, and resolves when it is applied. */
  protected enqueue(request: CommitRequest, staged?: StagedImport): Promise<Committed> {
    const committed = this.queue.add(request, { staged });
    this.wake();
    return committed;
  }

  abstract latest(): Promise<number>;

  onDomain(listener: DomainListener): void {
    this.applier.domainListeners.push(listener);
  }

  onCredentials(listener: () => void): void {
    this.applier.credentialListeners.push(listener);
  }

  onAnswers(listener: (changes: AnswerChanges) => void): void {
    this.applier.answerListeners.push(listener);
  }

  onEdge(listener: (changes: EdgeChanges) => void): void {
    this.applier.edgeListeners.push(listener);
  }

  onSigning(listener: (domainIds: ReadonlySet<Id>) => void): void {
    this.applier.signingListeners.push(listener);
  }

  onSecondaries(listener: (domainIds: ReadonlySet<Id>) => void): void {
    this.applier.secondaryListeners.push(listener);
  }

  onApps(listener: (appIds: ReadonlySet<string>) => void): void {
    this.applier.appListeners.push(listener);
  }

  onApplied(listener: () => void): void {
    this.applier.appliedListeners.push(listener);
  }

  async close(): Promise<void> {
    await this.ids.close();
    this.isClosed = true;
    await this.#running;
  }

  /** Schedules a run. Commits of the same turn of the event loop join the first group. */
  protected wake(): void {
    this.#running ??= new Promise<void>((done) => setImmediate(done)).then(() => this.#run());
  }

  protected abstract get hasWork(): boolean;

  /** Runs one task. Never rejects. */
  protected abstract work(): Promise<void>;

  async #run(): Promise<void> {
    while (this.hasWork) await this.work();
    this.#running = null;
  }
}
