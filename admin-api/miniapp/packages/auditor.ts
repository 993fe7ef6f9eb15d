/**
 * Runs audits in the background: of uploads to this node, of uploads interrupted by a restart, and
 * of uploads to failed nodes. A few audits run concurrently; accounts take turns. An interrupted
 * audit is restarted until the row of the package has a verdict.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../../core/base/fair-queue.ts';
import { FaultLog } from '../../../core/base/log/throttle.ts';
import type { Task } from '../../../core/base/tasks.ts';
import type { Id } from '../../../core/store/keys.ts';
import { uploadsIn } from '../../../core/store/package-reads.ts';
import type { Upload } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';
import { unfinishedAudit } from '../audit/unfinished.ts';
import { trustedSdks } from '../sdk/trust.ts';
import { AuditBook, CLAIM, type Conclusion, MAX_STARTS } from './audit-book.ts';
import type { AuditPool, Outcome } from './audit-pool.ts';
import type { Audited } from './audit-task.ts';
import type { PackageMetrics } from './metrics.ts';
import type { PackageBlobs } from './package-blobs.ts';
import { packFindings } from './report.ts';

/** Milliseconds between two scans for open uploads. */
const SCAN_INTERVAL = 15_000;
/** Milliseconds before a failed audit is retried. */
const RETRY_DELAY = 5000;
/** Maximum number of uploads in one scan. */
const MAX_OPEN = 10_000;

export class Auditor {
  readonly book: AuditBook;
  readonly #fault: FaultLog;
  readonly #queue = new FairQueue<Id, Id>();
  /** Ids of queued and running audits. */
  readonly #open = new Set<Id>();
  readonly #working = new Set<Promise<void>>();
  /** Callbacks that wait for a verdict. */
  readonly #waiting = new Map<Id, (() => void)[]>();
  readonly #scans: Task;

  constructor(
    private readonly services: Services,
    private readonly blobs: PackageBlobs,
    private readonly pool: AuditPool<Audited>,
    private readonly metrics: PackageMetrics,
  ) {
    this.book = new AuditBook(services);
    const { log, tasks } = services;
    const name = 'package-audits';
    this.#fault = new FaultLog(log, 'cannot audit packages; retrying', 'packages are audited again', { task: name });
    this.#scans = tasks.add({
      name,
      owner: 'claim',
      due: SCAN_INTERVAL,
      first: 0,
      log,
      // Only a successful audit clears the fault, not a successful scan.
      report: (error) => error !== null && this.#fault.report(error),
      run: () => this.#scan(),
    });
    metrics.queue(() => this.#queue.size);
  }

  start(): void {
    this.#scans.start();
  }

  /** Interrupted audits start again with the next start. */
  async stop(): Promise<void> {
    const looked = this.#scans.stop();
    await this.pool.close();
    await looked;
    await Promise.all(this.#working);
    for (const id of [...this.#waiting.keys()]) this.#notify(id);
  }

  /** Queues an audit on this node. */
  submit({ id, accountId }: Pick<Upload, 'id' | 'accountId'>): void {
    if (this.#open.has(id) || this.#scans.isStopped) return;
    this.#open.add(id);
    this.#queue.put(id, accountId);
    this.#next();
  }

  /**
   * Resolves when the upload has a verdict or needs none, at the latest after `ms` milliseconds.
   */
  async verdict(id: Id, ms: number): Promise<void> {
    if (!this.#open.has(id)) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      const tell = (): void => {
        clearTimeout(timer);
        done();
      };
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), tell]);
    });
  }

  #next(): void {
    while (this.#working.size < this.pool.threads) {
      const id = this.#scans.isStopped ? undefined : this.#queue.take();
      if (id === undefined) return;
      const work = this.#work(id).finally(() => {
        this.#working.delete(work);
        this.#next();
      });
      this.#working.add(work);
    }
  }

  /** Never rejects. After a failure, the node that then has the claim retries. */
  async #work(id: Id): Promise<void> {
    try {
      await this.#audit(id);
      this.#fault.report(null);
    } catch (error) {
      if (!this.#scans.isStopped) {
        this.#fault.report(error);
        await sleep(RETRY_DELAY, undefined, { signal: this.#scans.signal }).catch(() => {});
      }
    } finally {
      this.#open.delete(id);
      this.#notify(id);
    }
  }

  async #audit(id: Id): Promise<void> {
    const upload = await this.book.begin(id);
    if (upload === null) return;
    const { config, log } = this.services;
    const path = await this.blobs.fetch(upload.sha256);
    const began = performance.now();
    const outcome: Outcome<Audited> =
      (upload.claim?.begun ?? 0) > MAX_STARTS
        ? { kind: 'crashed', reason: 'it was started several times and never finished' }
        : await this.pool.run({
            path,
            maxBytes: config.packages.maxBytes,
            sdks: trustedSdks(config.packages),
          });
    if (outcome.kind === 'stopped') return;
    if (outcome.kind !== 'done')
      log.warn('package audit did not finish', { upload: id, app: upload.appId, ...outcome });
    const state = await this.book.conclude(id, concludeFrom(outcome, config.packages.auditTimeout));
    if (state !== null) this.metrics.audited(state, (performance.now() - began) / 1000);
  }

  #notify(id: Id): void {
    for (const tell of this.#waiting.get(id) ?? []) tell();
    this.#waiting.delete(id);
  }

  /** Queues the open uploads of this node, and extends its claims. */
  async #scan(): Promise<void> {
    const due: Id[] = [];
    for (const state of ['scanning', 'pending'] as const)
      for (const upload of uploadsIn(this.services.reader, state, null, MAX_OPEN)) {
        if (!this.book.mayAudit(upload)) continue;
        if (!this.#open.has(upload.id)) this.submit(upload);
        else if ((upload.claim?.until ?? 0) < nowSeconds() + CLAIM / 2) due.push(upload.id);
      }
    if (due.length > 0) await this.book.extend(due);
  }
}

/** An audit without a verdict needs a review. */
function concludeFrom(outcome: Exclude<Outcome<Audited>, { kind: 'stopped' }>, timeout: number): Conclusion {
  if (outcome.kind === 'done') {
    const { verdict, summary, findings } = outcome.result;
    return { verdict, summary, findings: Buffer.from(findings) };
  }
  const { verdict, summary, findings } = unfinishedAudit(outcome.kind, timeout);
  return { verdict, summary, findings: packFindings(findings).packed };
}
