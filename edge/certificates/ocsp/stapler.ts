/**
 * Fetches OCSP responses on the main thread, once for each certificate, and sends them to all
 * threads. A response is fetched when a client requests the status of a certificate. It is fetched
 * again at half of its lifetime if it was sent to any client.
 */

import { isIP } from 'node:net';
import { DueQueue } from '../../../core/base/due-queue.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Task, Tasks } from '../../../core/base/tasks.ts';
import { NO_BODY } from '../../http/exchange/body-queue.ts';
import type { Fetch } from '../../origin/origin.ts';
import { readWhole } from '../../origin/whole-body.ts';
import type { FromStaples, StapleFetched } from './staples.ts';
import type { CheckedStatus, StatusTarget } from './status.ts';

/** Milliseconds for an exchange. */
const TIMEOUT_MS = 10_000;
/** Bytes of a response. Common ones have 500 to 2,500. */
const MAX_RESPONSE = 16_384;

/** Certificates whose staples are kept. */
const MAX_ENTRIES = 4096;
/** Slow responders of some certificates must not delay the others for long. */
const CONCURRENT_FETCHES = 16;
/** Milliseconds until a failed fetch is retried: the first delay, which doubles up to the last. */
const FIRST_RETRY_MS = 300_000;
const LAST_RETRY_MS = 3_600_000;
/** Milliseconds between two fetches of a certificate, whatever the lifetime of its response. */
const MIN_REFRESH_MS = 60_000;
const MAX_REFRESH_MS = 7 * 86_400_000;

interface StaplerOptions {
  readonly fetch: FetchStatus;
  /** Sends to all threads. */
  readonly send: (message: StapleFetched) => void;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly minRefresh?: number;
  readonly firstRetry?: number;
}

interface Entry {
  readonly id: string;
  /** PEM. */
  readonly chain: string;
  target: StatusTarget | null;
  staple: StapleFetched | null;
  /** A client has requested the status since the last fetch. */
  isUsed: boolean;
  isFetching: boolean;
  failures: number;
}

export class Stapler {
  readonly #entries = new Map<string, Entry>();
  /** Entries to fetch, in order. */
  readonly #queue: Entry[] = [];
  /** Times of refreshes, by performance.now(). */
  readonly #refreshes = new DueQueue<Entry>();
  readonly #task: Task;
  readonly #abort = new AbortController();
  readonly #throttle = new LogThrottle();
  #fetching = 0;

  constructor(private readonly options: StaplerOptions) {
    this.#task = options.tasks.add({
      name: 'ocsp-staples',
      owner: 'node',
      due: () => (this.#refreshes.first ?? Number.POSITIVE_INFINITY) - performance.now(),
      log: options.log,
      run: () => this.#refreshDue(),
    });
    this.#task.start();
  }

  /** From a thread. */
  receive(message: FromStaples): void {
    const entry = this.#entries.get(message.id);
    if (entry !== undefined) {
      entry.isUsed = true;
      // The thread is new, or has evicted the staple.
      if (message.kind === 'staple-wanted' && isCurrent(entry)) this.options.send(entry.staple as StapleFetched);
    } else if (message.kind === 'staple-wanted') this.#add(message.id, message.chain);
  }

  /** Certificates with a staple. */
  get size(): number {
    return [...this.#entries.values()].filter(isCurrent).length;
  }

  close(): void {
    this.#abort.abort();
    void this.#task.stop();
    this.#entries.clear();
    this.#queue.length = 0;
  }

  #add(id: string, chain: string): void {
    if (this.#abort.signal.aborted) return;
    if (this.#entries.size >= MAX_ENTRIES) this.#delete(this.#entries.values().next().value as Entry);
    const entry: Entry = {
      id,
      chain,
      target: null,
      staple: null,
      isUsed: true,
      isFetching: false,
      failures: 0,
    };
    this.#entries.set(id, entry);
    this.#enqueue(entry);
  }

  #delete(entry: Entry): void {
    this.#refreshes.set(entry, null);
    this.#entries.delete(entry.id);
  }

  #enqueue(entry: Entry): void {
    entry.isFetching = true;
    this.#queue.push(entry);
    this.#startFetches();
  }

  #startFetches(): void {
    while (this.#fetching < CONCURRENT_FETCHES) {
      const entry = this.#queue.shift();
      if (entry === undefined) return;
      // Evicted while it waited.
      if (this.#entries.get(entry.id) !== entry) continue;
      this.#fetching++;
      void this.#fetch(entry).finally(() => {
        this.#fetching--;
        this.#startFetches();
      });
    }
  }

  async #fetch(entry: Entry): Promise<void> {
    const { fetch, send, minRefresh = MIN_REFRESH_MS, firstRetry = FIRST_RETRY_MS } = this.options;
    entry.isUsed = false;
    let delay: number;
    try {
      const { readTarget } = await import('./status.ts');
      entry.target ??= readTarget(entry.chain);
      const { response, refreshAt, expiresAt } = await fetch(entry.target, this.#abort.signal);
      if (this.#entries.get(entry.id) !== entry) return;
      entry.staple = { kind: 'staple', id: entry.id, response, expiresAt };
      entry.failures = 0;
      delay = Math.min(Math.max(refreshAt - Date.now(), minRefresh), MAX_REFRESH_MS);
      send(entry.staple);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      delay = Math.min(firstRetry * 2 ** entry.failures++, LAST_RETRY_MS);
      if (isRevocation(error)) this.#withdraw(entry);
      this.#warn(entry, error as Error);
    } finally {
      entry.isFetching = false;
    }
    this.#refreshAfter(entry, delay);
  }

  /** Withdraws the staple of a revoked certificate. */
  #withdraw(entry: Entry): void {
    if (entry.staple !== null) this.options.send({ ...entry.staple, expiresAt: 0 });
    entry.staple = null;
  }

  #refreshAfter(entry: Entry, milliseconds: number): void {
    this.#refreshes.set(entry, performance.now() + milliseconds);
    this.#task.reschedule();
  }

  #refreshDue(): void {
    const now = performance.now();
    for (let entry = this.#refreshes.take(now); entry !== null; entry = this.#refreshes.take(now)) this.#refresh(entry);
  }

  /** Deletes an unused entry once its staple has expired. */
  #refresh(entry: Entry): void {
    if (entry.isUsed) this.#enqueue(entry);
    else if (isCurrent(entry)) {
      const left = (entry.staple as StapleFetched).expiresAt - Date.now();
      this.#refreshAfter(entry, Math.min(left, MAX_REFRESH_MS));
    } else this.#delete(entry);
  }

  #warn({ target }: Entry, error: Error): void {
    const reason = error.message;
    const isRevoked = isRevocation(error);
    const count = this.#throttle.due(isRevoked ? 'revoked' : 'failed');
    if (count === 0) return;
    const fields = { certificate: target?.leaf.subjectAltName ?? '', responder: target?.responder.host ?? '', reason };
    if (isRevoked) this.options.log.warn('a served certificate is revoked', { ...fields, count });
    else this.options.log.warn('cannot fetch the OCSP response of a certificate', { ...fields, count });
  }
}

/** Compares the name, since the class is loaded only with the first status. */
const isRevocation = (error: unknown): boolean => error instanceof Error && error.name === 'RevokedError';

function isCurrent({ staple }: Entry): boolean {
  return staple !== null && Date.now() < staple.expiresAt;
}

/** Rejects with an Error for a response that must not be sent to clients. */
type FetchStatus = (target: StatusTarget, signal: AbortSignal) => Promise<CheckedStatus>;

/**
 * HTTP to OCSP responders (RFC 6960 appendix A.1), by the guarded client of origins.
 *
 * `send`: connects to permitted addresses only, and follows no redirects.
 */
export function createFetchStatus(send: Fetch): FetchStatus {
  return async (target, stop) => {
    const { checkStatus, statusRequest } = await import('./status.ts');
    const { responder } = target;
    if (responder.search !== '') throw new Error('the URL of the responder has a query');
    const request = encodeURIComponent(Buffer.from(statusRequest(target)).toString('base64'));
    const host = responder.hostname.replace(/^\[(.*)\]$/, '$1');
    const { status, body } = await send(
      {
        origin: { host, port: Number(responder.port || 80), protocol: 'http' },
        serverName: isIP(host) === 0 ? host : '',
        method: 'GET',
        path: `${responder.pathname.replace(/\/$/, '')}/${request}`,
        authority: responder.host,
        headers: ['accept', 'application/ocsp-response', 'user-agent', 'waypost'],
        body: NO_BODY,
        protocol: '',
      },
      AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    );
    if (status !== 200) {
      body.cancel();
      throw new Error(`the responder answered with status ${status}`);
    }
    return checkStatus(await readWhole(body, MAX_RESPONSE), target, Date.now());
  };
}
