/**
 * Looks after the certificates of all domains: who is due, who goes first, how many at a time.
 * Nothing is scanned but at the start; then the journal says whose rows have changed, and a queue
 * by time who is due. Orders run on this thread, which they seldom keep busy.
 */

import { DueQueue } from '../../../core/base/due-queue.ts';
import { FairQueue } from '../../../core/base/fair-queue.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { type Id, idAt } from '../../../core/store/keys.ts';
import type { StoreReader } from '../../../core/store/reader.ts';
import { acmeChallenges, proxies, type SslStatus } from '../../../core/store/rows.ts';
import { type Book, type Claim, type StoredSituation, situationOf } from './book.ts';
import { decide, type Self } from './decide.ts';
import type { Fault, OrderFailure } from './failure.ts';
import { Renewals } from './renewals.ts';
import { failureOf, slow } from './sentences.ts';
import { eachRow } from './take-up.ts';
import { hostNameOf } from './zone-facts.ts';

/** Seconds, twice as long each time. */
const FIRST = 5;

const LONGEST = 600;

/** For how long nobody orders after a directory has failed. */
export class Pause {
  /** Seconds since 1970. */
  until = 0;
  #failures = 0;
  /** Accounts that met a limit, one after the other. */
  readonly #limited = new Set<Id>();

  /** An order has ended in a certificate, or by another's fault. */
  clear(): void {
    this.#failures = 0;
    this.#limited.clear();
  }

  /**
   * A limit may be that of a single domain, which says nothing of others; only when it meets one
   * account after the other the service waits for longer.
   */
  note(fault: Fault, accountId: Id, now: number): void {
    if (fault !== 'limit' && fault !== 'directory') {
      this.clear();
      return;
    }
    if (fault === 'limit') this.#limited.add(accountId);
    else this.#failures++;
    const times = fault === 'limit' ? this.#limited.size : this.#failures;
    this.until = now + Math.min(FIRST * 2 ** (times - 1), LONGEST);
  }
}

export interface OrdersOptions {
  readonly environment: Environment;
  readonly reader: StoreReader;
  readonly journal: Journal;
  readonly book: Book;
  readonly self: Self;
  readonly concurrent: number;
  readonly log: Logger;
  readonly observer: OrderObserver;
  /**
   * One order from the checks to the certificate that is stored. Resolves with what the log tells
   * of it; rejects with whatever went wrong, or the signal's reason.
   */
  attempt(claim: Claim, signal: AbortSignal): Promise<object>;
  /** Why nothing is ordered at all, for customers; null: it is. */
  readonly refusal: string | null;
  /**
   * Asks when a certificate is to be renewed; resolves with the seconds until it is asked again.
   * Never rejects.
   */
  renewal(domainId: Id, situation: StoredSituation): Promise<number>;
  readonly now: () => number;
  readonly random: () => number;
}

export interface OrderObserver {
  /** `result`: `issued`, `cancelled`, or the code of an OrderFailure. */
  ended(result: string, seconds: number): void;
}

/** What is remembered of a domain that has a certificate, or is to have one. */
export interface Watched {
  readonly status: SslStatus;
  /** Of the automatic certificate, seconds since 1970; null: there is none. */
  readonly notAfter: number | null;
  /** Whether it is what visitors get: the proxy is on, and the customer has none of their own. */
  readonly isServed: boolean;
  /**
   * When the directory is asked about its renewal, seconds since 1970; infinite without a
   * certificate.
   */
  readonly renewalAt: number;
}

/** Domains that are due and looked at between two turns of the event loop. */
const PIECE = 200;
const HEARTBEAT_MS = 60_000;
const LONGEST_SLEEP_MS = 60_000;
/** Seconds over which the first questions about renewal are spread. */
const RENEWAL_SPREAD = 21_600;
/** Seconds until a domain is looked at again that could not be, since the store was at fault. */
const RETRY = 30;
/** For an order, whatever a directory makes of it: others wait for their turn. */
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
   * Those without a certificate, and those that have one still: in turns, since either may never
   * become empty.
   */
  readonly #urgent = new FairQueue<Id, Id>();
  readonly #others = new FairQueue<Id, Id>();
  #isUrgentTurn = false;
  readonly #running = new Map<Id, RunningOrder>();
  readonly #renewals: Renewals;
  readonly #work = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #pause = new Pause();

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#renewals = new Renewals({
      ask: (id) => options.renewal(id, situationOf(options.reader, id)),
      asked: (id, seconds) => {
        const watched = this.watched.get(id);
        if (watched !== undefined) this.watched.set(id, { ...watched, renewalAt: options.now() + seconds });
        this.#look(id);
        this.#pump();
      },
    });
    options.journal.onEdge(({ domainIds }) => {
      for (const id of domainIds) this.#look(id);
      this.#pump();
    });
  }

  /** Takes up what the store holds, in pieces. */
  start(): void {
    this.#track(this.#takeUp());
  }

  async #takeUp(): Promise<void> {
    const { environment, book } = this.#options;
    const left = new Set<Id>();
    await eachRow(environment, acmeChallenges.number, (key) => left.add(idAt(key)) && !this.#stopped);
    for (const id of left) this.#track(book.sweep(id));
    await eachRow(environment, proxies.number, (key) => {
      this.#look(idAt(key));
      return !this.#stopped;
    });
    this.#pump();
  }

  /**
   * Ends what is pending, so that it is taken up at the next start. Nothing is written
   * afterwards.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const { controller } of this.#running.values()) controller.abort(STOPPED);
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Nothing is pending and nothing waits for its turn. */
  get isIdle(): boolean {
    return this.#work.size === 0 && this.#urgent.size + this.#others.size + this.#renewals.size === 0;
  }

  /** Something of the domain has changed, or it is due. */
  #look(id: Id): void {
    if (this.#stopped) return;
    const situation = situationOf(this.#options.reader, id);
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
        // The commit has it looked at again, if it changes anything.
        this.#due.set(id, this.#options.now() + RETRY);
        this.#track(this.#options.book.settle(id), id);
        return;
      default:
        decision satisfies never;
    }
  }

  /** Until then, or until its renewal is to be asked for. */
  #waitFor(id: Id, until: number): void {
    const renewalAt = this.watched.get(id)?.renewalAt ?? Number.POSITIVE_INFINITY;
    if (renewalAt > this.#options.now()) this.#due.set(id, Math.min(until, renewalAt));
    else {
      this.#due.set(id, until);
      this.#renewals.put(id, this.#accountOf(id));
    }
  }

  #watch(id: Id, { proxy, automatic, isCustom }: StoredSituation): void {
    if (proxy === undefined || (proxy.sslStatus === 'none' && automatic === undefined)) {
      this.watched.delete(id);
      return;
    }
    const notAfter = automatic?.notAfter ?? null;
    const watched = this.watched.get(id);
    const isServed = automatic !== undefined && !isCustom && proxy.enabled;
    const asks = isServed && this.#options.refusal === null;
    const first = watched === undefined ? this.#options.random() * RENEWAL_SPREAD : 0;
    const renewalAt = !asks
      ? Number.POSITIVE_INFINITY
      : watched?.notAfter === notAfter && Number.isFinite(watched.renewalAt)
        ? watched.renewalAt
        : this.#options.now() + first;
    this.watched.set(id, { status: proxy.sslStatus, notAfter, isServed, renewalAt });
  }

  #refuse(id: Id, { proxy }: StoredSituation, message: string): void {
    if (proxy?.orderRequestedAt != null) this.#track(this.#options.book.refuse(id, message), id);
  }

  #accountOf(id: Id): Id {
    return this.#options.reader.domain(id)?.accountId ?? 0;
  }

  /**
   * Whether the account may have one more order: a first one, or no more than it leaves for others.
   * An order whose validation hangs lasts for minutes.
   */
  readonly #hasShare = (account: Id): boolean => {
    let held = 0;
    for (const running of this.#running.values()) if (running.account === account) held++;
    return held < Math.max(1, this.#options.concurrent - this.#running.size);
  };

  /** Begins as many orders as there is room for, and sleeps until the next is due. */
  #pump(): void {
    if (this.#stopped) return;
    const now = this.#options.now();
    for (let i = 0; i < PIECE; i++) {
      const id = this.#due.take(now);
      if (id === null) break;
      this.#look(id);
    }
    while (this.#running.size < this.#options.concurrent && now >= this.#pause.until) {
      this.#isUrgentTurn = !this.#isUrgentTurn;
      const [first, second] = this.#isUrgentTurn ? [this.#urgent, this.#others] : [this.#others, this.#urgent];
      const id = first.take(this.#hasShare) ?? second.take(this.#hasShare);
      if (id === undefined) break;
      this.#track(this.#run(id));
    }
    if (now >= this.#pause.until) this.#renewals.begin((work) => this.#track(work));
    this.#sleep(now);
  }

  #sleep(now: number): void {
    clearTimeout(this.#timer);
    const waits = this.#urgent.size + this.#others.size + this.#renewals.size > 0 && this.#pause.until > now;
    const next = Math.min(
      this.#due.first ?? Number.POSITIVE_INFINITY,
      waits ? this.#pause.until : Number.POSITIVE_INFINITY,
    );
    const ms = Math.min(Math.max((next - now) * 1000, 5), LONGEST_SLEEP_MS);
    this.#timer = setTimeout(() => this.#pump(), ms);
    this.#timer.unref();
  }

  async #run(id: Id): Promise<void> {
    const { book, log } = this.#options;
    const controller = new AbortController();
    this.#running.set(id, { controller, account: this.#accountOf(id) });
    const heartbeat = setInterval(() => this.#track(this.#extend(id, controller)), HEARTBEAT_MS);
    heartbeat.unref();
    try {
      const triedAt = this.#options.reader.acmeOrder(id)?.triedAt ?? 0;
      const claim = await book.claim(id);
      if (claim !== null) await this.#order(id, claim, triedAt, controller);
    } catch (error) {
      log.error('cannot store the state of a certificate; retrying', { domainId: id, error });
      this.#due.set(id, this.#options.now() + RETRY);
    } finally {
      clearInterval(heartbeat);
      this.#running.delete(id);
      if (!this.#due.has(id)) this.#look(id);
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
      end('issued');
      log.info('certificate issued', { domain, ...outcome });
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
      tellFailure(log, domain, failure, retryAt);
    }
  }

  /** Within the longest time that an order may take. */
  async #attempt(claim: Claim, signal: AbortSignal): Promise<object> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(TOO_SLOW), LONGEST_ORDER_MS);
    timer.unref();
    try {
      return await this.#options.attempt(claim, AbortSignal.any([signal, limit.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  async #extend(id: Id, controller: AbortController): Promise<void> {
    if (this.#running.get(id)?.controller === controller && !(await this.#options.book.extend(id)))
      controller.abort(UNWANTED);
  }

  /** `id`: is looked at again when the work fails. */
  #track(work: Promise<void>, id?: Id): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        if (this.#stopped) return;
        this.#options.log.error('cannot store the state of a certificate; retrying', { error });
        if (id !== undefined) this.#due.set(id, this.#options.now() + RETRY);
      })
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}

function tellFailure(log: Logger, domain: string, failure: OrderFailure, retryAt: number | null): void {
  const { code, message, detail, fault, cause } = failure;
  const fields = {
    domain,
    reason: code,
    why: message,
    ...(detail === null ? {} : { detail }),
    ...(retryAt === null ? {} : { retryAt: new Date(retryAt * 1000) }),
    // A fault of our own is looked for in the code.
    ...(code === 'internal' ? { error: cause } : {}),
  };
  if (fault === 'operator' || code === 'internal') log.error('certificate order failed', fields);
  else log.warn('certificate order failed', fields);
}
