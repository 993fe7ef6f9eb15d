/**
 * etcd's JSON gateway: transactions and watches, over several endpoints. A request goes to the
 * endpoint that answered last; to the next one when it is known that nothing was done. The error
 * says so where it is unknown whether something was done.
 */
import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { EtcdCompacted, EtcdFull, EtcdRefused, EtcdUnavailable, REFUSALS } from './errors.ts';
import { Exchange, NotConnected } from './exchange.ts';
import {
  type Compare,
  type EtcdMemberEntry,
  type EtcdStorage,
  type Operation,
  readMemberList,
  readStorage,
  readTransaction,
  readWatch,
  type TransactionAnswer,
  type WatchAnswer,
} from './messages.ts';

export interface EtcdSettings {
  /** As `https://10.0.0.1:2379`; at least one. */
  readonly endpoints: readonly string[];
  /** PEM, for endpoints with https. */
  readonly tls?: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
  /** Milliseconds for one answer. */
  readonly timeout: number;
  /** Called with the clock of an endpoint, milliseconds since 1970, to a second or so. */
  readonly onClock?: (endpoint: string, time: number) => void;
}

const CONNECTIONS = 4;
const CONNECT_MS = 1000;

const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;

const connectorOf = (tls: EtcdSettings['tls'], timeout: number): buildConnector.connector =>
  buildConnector({
    timeout: Math.min(CONNECT_MS, timeout),
    ...(tls && { ca: tls.ca, cert: tls.certificate, key: tls.key }),
  });

export class EtcdGateway {
  readonly #settings: EtcdSettings;
  #connector: buildConnector.connector;
  readonly #agent: Agent;
  /** A watch keeps its connection. */
  readonly #watches: Agent;
  /** The endpoint that is asked first. */
  #at = 0;

  constructor(settings: EtcdSettings) {
    const { tls, timeout } = settings;
    this.#settings = settings;
    this.#connector = connectorOf(tls, timeout);
    const common = {
      connect: (target, done) =>
        this.#connector(target, (error, socket) =>
          error === null
            ? done(null, socket as Socket)
            : done(new NotConnected(reasonOf(error), { cause: error }), null),
        ),
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: 0,
    } satisfies Agent.Options;
    this.#agent = new Agent({ ...common, connections: CONNECTIONS });
    this.#watches = new Agent(common);
  }

  /** For connections that begin from now on. */
  setTls(tls: EtcdSettings['tls']): void {
    this.#connector = connectorOf(tls, this.#settings.timeout);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#watches.destroy()]);
  }

  /**
   * Carries out `success` when all of `compares` hold, else `failure`, in one transaction;
   * linearizable. Rejects with EtcdUnavailable or EtcdRefused.
   */
  async transaction(
    compares: readonly Compare[],
    success: readonly Operation[],
    failure: readonly Operation[] = [],
  ): Promise<TransactionAnswer> {
    const isReading = [...success, ...failure].every((operation) => 'request_range' in operation);
    return readTransaction(await this.#ask('/v3/kv/txn', { compare: compares, success, failure }, isReading));
  }

  /**
   * Removes what was replaced or removed before `revision`. What was so already, as by etcd
   * itself, is no error.
   */
  async compact(revision: number): Promise<void> {
    try {
      await this.#ask('/v3/kv/compaction', { revision: String(revision) }, true);
    } catch (error) {
      if (!(error instanceof EtcdRefused && error.code === OUT_OF_RANGE)) throw error;
    }
  }

  /**
   * How full the database of the member is that answers. Rejects with EtcdUnavailable and
   * EtcdRefused.
   */
  async storage(): Promise<EtcdStorage> {
    const [status, alarms] = await Promise.all([
      this.#ask('/v3/maintenance/status', {}, true),
      this.#ask('/v3/maintenance/alarm', { action: 'GET' }, true),
    ]);
    return readStorage(status, alarms);
  }

  /** Which members etcd has. Rejects with EtcdUnavailable and EtcdRefused. */
  async members(): Promise<EtcdMemberEntry[]> {
    return readMemberList(await this.#ask('/v3/cluster/member/list', {}, true));
  }

  /** Seconds until the lease ends unless it is kept alive. Returns its id. */
  async grant(seconds: number): Promise<string> {
    const { ID } = (await this.#ask('/v3/lease/grant', { TTL: String(seconds) }, true)) as { ID: string };
    return ID;
  }

  /** False: the lease has ended. */
  async keepAlive(lease: string): Promise<boolean> {
    const { result } = (await this.#ask('/v3/lease/keepalive', { ID: lease }, true)) as { result?: { TTL?: string } };
    return Number(result?.TTL ?? 0) > 0;
  }

  async revoke(lease: string): Promise<void> {
    await this.#ask('/v3/lease/revoke', { ID: lease }, true);
  }

  /**
   * Tells of what is written from `key` up to `end`, from `revision` on, in order; more than once,
   * should the endpoint be at fault. Resolves never: rejects with EtcdCompacted, with
   * EtcdUnavailable when the connection is lost, and with the signal's reason. `onAnswer` must not
   * throw.
   */
  async watch(
    key: string,
    end: string,
    revision: number,
    onAnswer: (answer: WatchAnswer) => void,
    signal: AbortSignal,
  ): Promise<never> {
    const message = {
      create_request: {
        key: Buffer.from(key).toString('base64'),
        range_end: Buffer.from(end).toString('base64'),
        start_revision: String(revision),
      },
    };
    signal.throwIfAborted();
    const endpoint = this.#settings.endpoints[this.#at];
    const watch = new Exchange(this.#watches, { endpoint, path: '/v3/watch', message }, (line) => {
      const answer = readWatch(line);
      if (answer.compactRevision > 0) throw new EtcdCompacted(`compacted up to revision ${answer.compactRevision}`);
      if (answer.isCancelled) throw new Error('the watch was cancelled');
      onAnswer(answer);
    });
    const leave = (): void => watch.abort(new Error('this node closed the watch'));
    signal.addEventListener('abort', leave);
    try {
      const { status, text } = await watch.done;
      throw new Error(status === 200 ? 'the watch ended' : `status ${status}: ${text.slice(0, 200)}`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EtcdCompacted) throw error;
      this.#next(endpoint);
      throw new EtcdUnavailable(`${endpoint}: ${reasonOf(error)}`, false, error);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** `isHarmless`: it may be carried out twice. */
  async #ask(path: string, message: unknown, isHarmless: boolean): Promise<unknown> {
    const { endpoints, timeout } = this.#settings;
    const until = performance.now() + timeout;
    const reasons: string[] = [];
    for (let tries = 0; tries < endpoints.length; tries++) {
      const endpoint = endpoints[this.#at];
      const exchange = new Exchange(this.#agent, { endpoint, path, message });
      let isLate = false;
      const timer = setTimeout(
        () => {
          isLate = true;
          exchange.abort(new Error(`no response within ${timeout} ms`));
        },
        tries === 0 ? timeout : Math.max(1, until - performance.now()),
      );
      try {
        const { status, text, date } = await exchange.done;
        if (status === 200) {
          // A Date field counts whole seconds, so half a second is added.
          if (!Number.isNaN(date)) this.#settings.onClock?.(endpoint, date + 500);
          return JSON.parse(text);
        }
        throw refusalOf(status, text);
      } catch (error) {
        if (error instanceof EtcdRefused) throw error;
        this.#next(endpoint);
        reasons.push(`${endpoint}: ${reasonOf(error)}`);
        const wasSent = !(error instanceof NotConnected);
        if (isLate || (wasSent && !isHarmless)) throw new EtcdUnavailable(reasons.join('; '), wasSent, error);
      } finally {
        clearTimeout(timer);
      }
    }
    throw new EtcdUnavailable(reasons.join('; '), false);
  }

  /** Unless another request has gone on already. */
  #next(failed: string): void {
    const { endpoints } = this.#settings;
    if (endpoints[this.#at] === failed) this.#at = (this.#at + 1) % endpoints.length;
  }
}

/**
 * What an answer other than 200 means: EtcdRefused, or an Error after which another endpoint may do
 * better.
 */
function refusalOf(status: number, text: string): Error {
  let code = -1;
  let message = text.slice(0, 200);
  try {
    const answer = JSON.parse(text) as { code?: unknown; message?: unknown; error?: unknown };
    if (typeof answer.code === 'number') code = answer.code;
    const reason = answer.message ?? answer.error;
    if (typeof reason === 'string') message = reason.slice(0, 200);
  } catch {
    // A proxy's page, perhaps.
  }
  if (code === RESOURCE_EXHAUSTED && message.includes('space exceeded')) return new EtcdFull(message, code);
  return REFUSALS.has(code) ? new EtcdRefused(message, code) : new Error(`status ${status}: ${message}`);
}

/** Of an error whose message may be empty. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'failed';
}
