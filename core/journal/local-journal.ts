/**
 * The part of a journal that does not depend on the storage of the log: commits wait in a queue,
 * one task runs at a time, and listeners are called after a group is applied.
 */
import { UnavailableError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { FaultLog } from '../base/log/throttle.ts';
import type { Id } from '../store/keys.ts';
import { type ImportRow, imports, type Table } from '../store/rows.ts';
import { StoreReader } from '../store/store-reader.ts';
import { Applier, type ApplierOptions } from './apply/applier.ts';
import { CommitQueue, type JournalObserver } from './commit/commit-queue.ts';
import type { Measured } from './commit/growth.ts';
import { Importer, inOneEntry } from './commit/importer.ts';
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
  /** The name of this node in a cluster. */
  readonly node?: string;
  /** Omitted: nothing is logged. */
  readonly log?: Logger;
  /** The feature level of the cluster; omitted: a single node with the level of this program. */
  readonly clusterLevel?: () => ClusterLevel;
  /** Null: the account has no limits; omitted: no account has limits. */
  readonly quotaOf?: (accountId: Id) => AccountQuota | null;
}

/** Milliseconds between two attempts to do a step of an import. */
const RETRY_MS = 1000;

const MACHINE_CLOCK: CommitClock = { now: () => Date.now(), refusal: () => null };

export abstract class LocalJournal implements Journal {
  readonly ids: IdLeases;
  protected readonly applier: Applier;
  protected readonly recent: RecentWrites;
  protected readonly queue = new CommitQueue();
  protected readonly importer: Importer;
  protected readonly observer: JournalObserver | undefined;
  protected readonly clock: CommitClock;
  protected isClosed = false;
  readonly #storage: StorageGuard | undefined;
  readonly #clusterLevel: () => ClusterLevel;
  readonly #quotas: Quotas | null;
  #running: Promise<void> | null = null;
  #areStepsPaused = false;
  readonly #stepFaults: FaultLog | null = null;
  /** Ends the wait of an import for other nodes. */
  readonly #closing = new AbortController();

  constructor(options: JournalOptions) {
    const { environment, observer, storage, clusterLevel = () => OWN_LEVEL, quotaOf } = options;
    this.clock = options.clock ?? MACHINE_CLOCK;
    this.#storage = storage;
    this.#clusterLevel = clusterLevel;
    this.applier = new Applier(options);
    this.recent = new RecentWrites(this.applier.head.sequence, (table, key) => environment.rows.get(table)?.get(key));
    this.observer = observer;
    if (options.log !== undefined)
      this.#stepFaults = new FaultLog(options.log, 'cannot finish an import; retrying', 'imports are finished again');
    this.importer = new Importer({
      environment,
      node: options.node ?? '',
      steps: this.applier.imports,
      head: () => this.head,
      hasConflict: (reads) => this.recent.hasConflict(reads),
      isClosed: () => this.isClosed,
      enqueue: (request) => this.#add(request),
      limited: (measured, commit) => this.#limited(measured, commit),
      waitForPeers: (sequence) => this.waitForImport(sequence, this.#closing.signal),
    });
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

  /** Sequence of the last entry whose answers are served here. Large imports are served later. */
  get served(): number {
    return Math.min(this.head, this.applier.imports.servedTo);
  }

  /** The oldest entry that this node still has. */
  get oldest(): number {
    return this.applier.oldest;
  }

  canStore({ level = FIRST_LEVEL }: Pick<Table<unknown>, 'level'>): boolean {
    return level <= (this.#clusterLevel().agreed ?? FIRST_LEVEL);
  }

  commit(requested: CommitRequest): Promise<Committed> {
    if (this.isClosed)
      return Promise.reject(new UnavailableError('stopping', 'The service is stopping; nothing was written.'));
    const isStaged = this.importer.isLarge(requested) && this.applier.defersImports && this.canStore(imports);
    const request = isStaged ? requested : inOneEntry(requested);
    const refusal =
      this.#storage?.refusalOf(request.by) ??
      this.clock.refusal() ??
      levelRefusal(request.changes, this.#clusterLevel());
    if (refusal !== null) return Promise.reject(refusal);
    const importing = this.importer.refusalOf(request);
    if (importing !== null) return Promise.reject(importing);
    if (isStaged) return this.importer.run(request);
    return this.#served(
      request,
      this.#limited(request, () => this.#add(request)),
    );
  }

  /** Resolves when the zones of a commit are served, though an import into them is not yet. */
  async #served({ changes }: CommitRequest, committing: Promise<Committed>): Promise<Committed> {
    const committed = await committing;
    await this.applier.imports.whenServed(changes);
    return committed;
  }

  /** Commits what the quota of the account allows, or rejects. */
  #limited(measured: Measured, commit: () => Promise<Committed>): Promise<Committed> {
    return this.#quotas === null ? commit() : this.#quotas.run(measured, commit);
  }

  /** Appends a request that is allowed, and resolves when it is applied. */
  #add(request: CommitRequest): Promise<Committed> {
    const committed = this.queue.add(request);
    this.wake();
    return committed;
  }

  isImporting(row: ImportRow): boolean {
    return this.importer.owns(row);
  }

  /** Resolves when other nodes serve the import whose end is an entry, or on the signal. */
  protected waitForImport(_sequence: number, _signal: AbortSignal): Promise<unknown> {
    return Promise.resolve();
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
    // The next start does the rest.
    this.applier.imports.stopWaiting();
    this.#closing.abort();
    await this.importer.whenIdle();
    await this.#running;
  }

  /** Schedules a run. Commits of the same turn of the event loop join the first group. */
  protected wake(): void {
    this.#running ??= new Promise<void>((done) => setImmediate(done)).then(() => this.#run());
  }

  /** Whether there are commits or groups to work on. */
  protected abstract get hasWork(): boolean;

  /** Runs one task. Never rejects. */
  protected abstract work(): Promise<void>;

  get #hasSteps(): boolean {
    return this.applier.imports.hasWork && !this.#areStepsPaused && !this.isClosed;
  }

  /** Steps of imports are done between tasks. */
  async #run(): Promise<void> {
    while (this.hasWork || this.#hasSteps) {
      if (this.hasWork) await this.work();
      if (this.#hasSteps) await this.#step();
    }
    this.#running = null;
  }

  /** The import is stored, so errors such as a full disk only delay what follows. */
  async #step(): Promise<void> {
    try {
      await this.applier.imports.step();
      this.#stepFaults?.report(null);
    } catch (error) {
      this.#stepFaults?.report(error);
      this.#areStepsPaused = true;
      setTimeout(() => {
        this.#areStepsPaused = false;
        this.wake();
      }, RETRY_MS).unref();
    }
  }
}
