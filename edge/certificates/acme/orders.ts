/**
 * Schedules the certificate orders of all domains: which are due, in which order, and how many are
 * concurrent. The store is scanned only at the start. Then the journal reports changed domains, and
 * a queue by time reports due ones. Orders run on the main thread, which they seldom keep busy.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { DueQueue } from '../../../core/base/due-queue.ts';
import { FairQueue } from '../../../core/base/fair-queue.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import type { Task, Tasks } from '../../../core/base/tasks.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { type Id, idAt } from '../../../core/store/keys.ts';
import { acmeChallenges, proxies, type SslStatus } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import type { Book, Claim } from './book.ts';
import { decide, type Self } from './decide.ts';
import type { Fault, OrderFailure } from './problem.ts';
import { Renewals } from './renewals.ts';
import { failureOf, slow } from './sentences.ts';
import { type StoredSituation, situationOf } from './situation.ts';
import { Surveys } from './surveys.ts';
import { hostNameOf } from './zone-facts.ts';

/** Rows per turn of the event loop: some milliseconds. */
const TAKE_UP_BATCH = 50;

/** Seconds of the first pause. Each further pause is twice as long, up to the longest. */
const FIRST_PAUSE = 5;

const LONGEST_PAUSE = 600;

/** Pauses all orders after failures of the directory. */
export class Pause {
  /** Seconds since 1970. */
  until = 0;
  #failures = 0;
  /** Accounts that reached a rate limit since the last `clear`. */
  readonly #limited = new Set<Id>();

  /** Called when an order succeeds, or fails for a reason other than the directory or a limit. */
  clear(): void {
    this.#failures = 0;
    this.#limited.clear();
  }

  /**
   * A rate limit may concern a single domain and not the others. The pause grows only with the
   * number of accounts that reach a limit.
   */
  note(fault: Fault, accountId: Id, now: number): void {
    if (fault !== 'limit' && fault !== 'directory') {
      this.clear();
      return;
    }
    if (fault === 'limit') this.#limited.add(accountId);
    else this.#failures++;
    const times = fault === 'limit' ? this.#limited.size : this.#failures;
    this.until = now + Math.min(FIRST_PAUSE * 2 ** (times - 1), LONGEST_PAUSE);
  }
}

export interface OrdersOptions {
  readonly environment: Environment;
  readonly reader: StoreReader;
  readonly journal: Journal;
  readonly book: Book;
  readonly self: Self;
  readonly concurrent: number;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly observer: OrderObserver;
  /**
   * Runs one order, from the checks to storing the certificate. Resolves with fields for the log;
   * null: no certificate is needed. Rejects with any error, or with the signal's reason.
   */
  attempt(claim: Claim, signal: AbortSignal): Promise<object | null>;
  /** Resolves with the proxied host names that no certificate of the domain covers. */
  survey(domainId: Id, situation: StoredSituation): Promise<readonly string[]>;
  /** Why this service orders no certificates, as a message for customers; null: it does. */
  readonly refusal: string | null;
  /**
   * Fetches the renewal time of a certificate. Resolves with the seconds until the next request.
   * Never rejects.
   */
  renewal(domainId: Id, situation: StoredSituation): Promise<number>;
  readonly now: () => number;
  readonly random: () => number;
}

export interface OrderObserver {
  /** `result`: `issued`, `cancelled`, `unneeded`, or the code of an OrderFailure. */
  ended(result: string, seconds: number): void;
}

/** State of a domain that has a certificate or needs one. */
export interface Watched {
  readonly status: SslStatus;
  /** First expiry of its automatic certificates, seconds since 1970; null: no certificate. */
  readonly notAfter: number | null;
  /**
   * Whether visitors receive it: the proxy is on, and the customer has not uploaded a certificate.
   */
  readonly isServed: boolean;
  /** When its certificates were stored, in the order of their slots. */
  readonly issued: string;
  /** When its renewal time is fetched from the directory, seconds since 1970; infinite: never. */
  readonly renewalAt: number;
}

/** Maximum due domains that are handled in one turn of the event loop. */
const BATCH = 200;
const HEARTBEAT_MS = 60_000;
/** Minimum of milliseconds between two batches. */
const PAUSE_MS = 5;
/** Seconds over which the first fetches of renewal times are spread. */
const RENEWAL_SPREAD = 21_600;
/** Seconds until a domain is retried after an error of the store. */
const RETRY_SECONDS = 30;
/** Timeout of an order, so that a slow directory does not block the others. */
const LONGEST_ORDER_MS = 900_000;
const STOPPED = new Error('the service is stopping');
const UNWANTED = new Error('the certificate is no longer needed');
const TOO_SLOW = slow();

interface RunningOrder {
  readonly controller: AbortController;
  readonly account: Id;
}

export class Orders {
  readonly watched = new Map<Id, Watched>();
  readonly #options: OrdersOptions;
  readonly #due = new DueQueue<Id>();
  /**
   * Queued domains without a valid certificate, and queued renewals. The two take turns, since
   * either may never become empty.
   */
  readonly #urgent = new FairQueue<Id, Id>();
  readonly #others = new FairQueue<Id, Id>();
  #isUrgentTurn = false;
  readonly #running = new Map<Id, RunningOrder>();
  readonly #renewals: Renewals;
  readonly #surveys: Surveys;
  readonly #work = new Set<Promise<void>>();
  readonly #task: Task;
  readonly #heartbeats: Task;
  readonly #pause = new Pause();

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#renewals = new Renewals({
      ask: (id) => options.renewal(id, situationOf(options.reader, id)),
      asked: (id, seconds) => {
        const watched = this.watched.get(id);
        if (watched !== undefined) this.watched.set(id, { ...watched, renewalAt: options.now() + seconds });
        this.#evaluate(id);
        this.#pump();
      },
    });
    this.#surveys = new Surveys({
      survey: (id) => options.survey(id, situationOf(options.reader, id)),
      surveyed: (id) => {
        this.#evaluate(id);
        this.#pump();
      },
      now: options.now,
    });
    const { tasks, log } = options;
    this.#task = tasks.add({
      name: 'certificate-orders',
      owner: 'claim',
      due: () => this.#untilNext(),
      log,
      run: () => this.#pump(),
    });
    this.#heartbeats = tasks.add({
      name: 'certificate-claims',
      owner: 'claim',
      due: HEARTBEAT_MS,
      log,
      run: () => this.#extendClaims(),
    });
    options.journal.onEdge(({ domainIds }) => {
      for (const id of domainIds) this.#changed(id);
      this.#pump();
    });
  }

  /** Loads all domains from the store, in batches. */
  start(): void {
    this.#task.start();
    this.#heartbeats.start();
    this.#track(this.#loadStored());
  }

  async #loadStored(): Promise<void> {
    const { environment, book } = this.#options;
    const left = new Set<Id>();
    await eachRow(environment, acmeChallenges.number, (key) => left.add(idAt(key)) && !this.#task.isStopped);
    for (const id of left) this.#track(book.sweep(id));
    await this.evaluateAll();
  }

  /** Decides the next step of every domain, in batches: at the start, and with new settings. */
  async evaluateAll(): Promise<void> {
    await eachRow(this.#options.environment, proxies.number, (key) => {
      this.#changed(idAt(key));
      return !this.#task.isStopped;
    });
    this.#pump();
  }

  /** Aborts pending orders, which the next start resumes. Nothing is written afterwards. */
  async stop(): Promise<void> {
    await Promise.all([this.#task.stop(), this.#heartbeats.stop()]);
    for (const { controller } of this.#running.values()) controller.abort(STOPPED);
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Nothing is pending or queued. */
  get isIdle(): boolean {
    const queued = this.#urgent.size + this.#others.size + this.#renewals.size;
    return this.#work.size === 0 && queued === 0 && this.#surveys.isIdle;
  }

  /** A domain was loaded, or its records, proxy or certificates have changed. */
  #changed(id: Id): void {
    const { proxy, isCustom, automatic } = this.#situation(id);
    // Without a certificate, all names are ordered.
    const needsSurvey = proxy?.enabled === true && !isCustom && automatic !== undefined;
    if (!needsSurvey || this.#options.refusal !== null) this.#surveys.forget(id);
    else this.#surveys.put(id, this.#accountOf(id));
    this.#evaluate(id);
  }

  #situation(id: Id): StoredSituation {
    return situationOf(this.#options.reader, id, this.#surveys.uncoveredOf(id));
  }

  /** Decides the next step of a domain that has changed or is due. */
  #evaluate(id: Id): void {
    if (this.#task.isStopped) return;
    const situation = this.#situation(id);
    this.#watch(id, situation);
    const running = this.#running.get(id);
    if (running !== undefined) {
      if (situation.proxy?.enabled !== true || situation.isCustom) running.controller.abort(UNWANTED);
      return;
    }
    this.#due.set(id, null);
    this.#urgent.remove(id);
    this.#others.remove(id);
    const decision = decide(situation, this.#options.self, this.#options.now());
    switch (decision.kind) {
      case 'nothing':
        return;
      case 'wait':
        this.#waitFor(id, decision.until);
        return;
      case 'order':
        if (this.#options.refusal !== null) this.#refuse(id, situation, this.#options.refusal);
        else (decision.isUrgent ? this.#urgent : this.#others).put(id, this.#accountOf(id));
        return;
      case 'restore':
      case 'cancel':
      case 'lapse':
      case 'discard':
        // If the commit changes anything, the journal triggers the next evaluation.
        this.#due.set(id, this.#options.now() + RETRY_SECONDS);
        this.#track(this.#options.book.settle(id, situation.uncovered), id);
        return;
      default:
        decision satisfies never;
    }
  }

  /** Waits until then, or until the next fetch of its renewal time. */
  #waitFor(id: Id, until: number): void {
    const renewalAt = this.watched.get(id)?.renewalAt ?? Number.POSITIVE_INFINITY;
    if (renewalAt > this.#options.now()) this.#due.set(id, Math.min(until, renewalAt));
    else {
      this.#due.set(id, until);
      this.#renewals.put(id, this.#accountOf(id));
    }
  }

  #watch(id: Id, { proxy, automatic, further, rsa, isCustom }: StoredSituation): void {
    if (proxy === undefined || (proxy.sslStatus === 'none' && automatic === undefined)) {
      this.watched.delete(id);
      return;
    }
    const notAfter = automatic && Math.min(automatic.notAfter, ...further.map((row) => row.notAfter));
    const watched = this.watched.get(id);
    const isServed = automatic !== undefined && !isCustom && proxy.enabled;
    const asks = isServed && this.#options.refusal === null;
    const first = watched === undefined ? this.#options.random() * RENEWAL_SPREAD : 0;
    const issued = [...(automatic === undefined ? [] : [automatic]), ...further, ...rsa]
      .map((row) => row.createdAt)
      .join();
    const renewalAt = !asks
      ? Number.POSITIVE_INFINITY
      : watched?.issued === issued && Number.isFinite(watched.renewalAt)
        ? watched.renewalAt
        : this.#options.now() + first;
    this.watched.set(id, { status: proxy.sslStatus, notAfter: notAfter ?? null, isServed, issued, renewalAt });
  }

  #refuse(id: Id, { proxy }: StoredSituation, message: string): void {
    if (proxy?.orderRequestedAt != null) this.#track(this.#options.book.refuse(id, message), id);
  }

  #accountOf(id: Id): Id {
    return this.#options.reader.domain(id)?.accountId ?? 0;
  }

  /**
   * Whether the account may start another order: the first one, or as many as it leaves free for
   * others. An order whose validation hangs takes minutes.
   */
  readonly #hasShare = (account: Id): boolean => {
    let held = 0;
    for (const running of this.#running.values()) if (running.account === account) held++;
    return held < Math.max(1, this.#options.concurrent - this.#running.size);
  };

  /** Starts orders up to the limit. */
  #pump(): void {
    if (this.#task.isStopped) return;
    const now = this.#options.now();
    for (let i = 0; i < BATCH; i++) {
      const id = this.#due.take(now);
      if (id === null) break;
      this.#evaluate(id);
    }
    while (this.#running.size < this.#options.concurrent && now >= this.#pause.until) {
      this.#isUrgentTurn = !this.#isUrgentTurn;
      const [first, second] = this.#isUrgentTurn ? [this.#urgent, this.#others] : [this.#others, this.#urgent];
      const id = first.take(this.#hasShare) ?? second.take(this.#hasShare);
      if (id === undefined) break;
      this.#track(this.#run(id));
    }
    if (now >= this.#pause.until) this.#renewals.begin((work) => this.#track(work));
    this.#surveys.begin(
      (work) => this.#track(work),
      (id) => this.#accountOf(id),
    );
    this.#task.reschedule();
  }

  #untilNext(): number {
    const now = this.#options.now();
    const waits = this.#urgent.size + this.#others.size + this.#renewals.size > 0 && this.#pause.until > now;
    const next = Math.min(
      this.#due.first ?? Number.POSITIVE_INFINITY,
      this.#surveys.nextAt,
      waits ? this.#pause.until : Number.POSITIVE_INFINITY,
    );
    return Math.max((next - now) * 1000, PAUSE_MS);
  }

  async #run(id: Id): Promise<void> {
    const { book, log } = this.#options;
    const controller = new AbortController();
    this.#running.set(id, { controller, account: this.#accountOf(id) });
    try {
      const triedAt = this.#options.reader.acmeOrder(id)?.triedAt ?? 0;
      const claim = await book.claim(id, this.#surveys.uncoveredOf(id));
      if (claim !== null) await this.#order(id, claim, triedAt, controller);
    } catch (error) {
      log.error('cannot store the state of a certificate; retrying', { domainId: id, error });
      this.#due.set(id, this.#options.now() + RETRY_SECONDS);
    } finally {
      this.#running.delete(id);
      if (!this.#due.has(id)) this.#evaluate(id);
      this.#pump();
    }
  }

  async #order(id: Id, claim: Claim, triedAt: number, { signal }: AbortController): Promise<void> {
    const { book, log, observer } = this.#options;
    const domain = hostNameOf(claim.domain.apex);
    const started = performance.now();
    const end = (result: string): void => observer.ended(result, (performance.now() - started) / 1000);
    try {
      log.info('ordering a certificate', { domain });
      const outcome = await this.#attempt(claim, signal);
      this.#pause.clear();
      end(outcome === null ? 'unneeded' : 'issued');
      if (outcome !== null) log.info('certificate issued', { domain, ...outcome });
    } catch (error) {
      if (signal.aborted) {
        await (signal.reason === STOPPED ? book.postpone(id, triedAt) : book.abandon(id));
        end('cancelled');
        log.info('certificate order cancelled', { domain, why: (signal.reason as Error).message });
        return;
      }
      const failure = failureOf(error);
      const retryAt = await book.fail(id, failure);
      this.#pause.note(failure.fault, claim.domain.accountId, this.#options.now());
      end(failure.code);
      logFailure(log, domain, failure, retryAt);
    }
  }

  /** Applies the timeout of an order. */
  async #attempt(claim: Claim, signal: AbortSignal): Promise<object | null> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(TOO_SLOW), LONGEST_ORDER_MS);
    timer.unref();
    try {
      return await this.#options.attempt(claim, AbortSignal.any([signal, limit.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  #extendClaims(): void {
    for (const [id, { controller }] of this.#running) this.#track(this.#extend(id, controller));
  }

  async #extend(id: Id, controller: AbortController): Promise<void> {
    if (this.#running.get(id)?.controller === controller && !(await this.#options.book.extend(id)))
      controller.abort(UNWANTED);
  }

  /** `id`: the domain to retry when the work fails. */
  #track(work: Promise<void>, id?: Id): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        if (this.#task.isStopped) return;
        this.#options.log.error('cannot store the state of a certificate; retrying', { error });
        if (id !== undefined) this.#due.set(id, this.#options.now() + RETRY_SECONDS);
      })
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}

function logFailure(log: Logger, domain: string, failure: OrderFailure, retryAt: number | null): void {
  const { code, message, detail, fault, cause } = failure;
  const fields = {
    domain,
    reason: code,
    why: message,
    ...(detail === null ? {} : { detail }),
    ...(retryAt === null ? {} : { retryAt: new Date(retryAt * 1000) }),
    // An internal error is logged with its stack trace.
    ...(code === 'internal' ? { error: cause } : {}),
  };
  if (fault === 'operator' || code === 'internal') log.error('certificate order failed', fields);
  else log.warn('certificate order failed', fields);
}

/**
 * Scans a table of the store at the start, in batches, without blocking the event loop.
 *
 * `visit`: called with the key of each row of the table; returns false to stop.
 */
async function eachRow(environment: Environment, table: number, visit: (key: Buffer) => boolean): Promise<void> {
  const rows = environment.rows.get(table)!;
  let start: Buffer | undefined;
  for (;;) {
    const keys = [...rows.getKeys({ start, limit: TAKE_UP_BATCH })] as Buffer[];
    for (const key of keys) if (!visit(key)) return;
    if (keys.length < TAKE_UP_BATCH) return;
    start = Buffer.concat([keys[keys.length - 1], Uint8Array.of(0)]);
    await nextTurn();
  }
}
