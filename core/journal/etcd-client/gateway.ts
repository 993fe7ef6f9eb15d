/**
 * etcd's JSON gateway: transactions and watches, over several endpoints. A request goes to the
 * endpoint that responded last. It is retried on the next endpoint if it was not sent, or if it is
 * idempotent. EtcdUnavailable has `mayHappen` if the request may have been carried out.
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
  /** For example `https://10.0.0.1:2379`; at least one. */
  readonly endpoints: readonly string[];
  /** PEM, for endpoints with https. */
  readonly tls?: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
  /** Milliseconds until a response is given up. */
  readonly timeout: number;
  /**
   * Called with the time of an endpoint's clock, in milliseconds since 1970, accurate to about a
   * second.
   */
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
  #connector: buildConnector.connector;
  readonly #agent: Agent;
  /** Watches have an agent of their own, since each keeps its connection. */
  readonly #watches: Agent;
  /** Index of the current endpoint. */
  #current = 0;

  constructor(private readonly settings: EtcdSettings) {
    const { tls, timeout } = settings;
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

  /** Applies to new connections only. */
  setTls(tls: EtcdSettings['tls']): void {
    this.#connector = connectorOf(tls, this.settings.timeout);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#watches.destroy()]);
  }

  /**
   * Carries out `success` if all `compares` hold, else `failure`, in one linearizable transaction.
   * Rejects with EtcdUnavailable or EtcdRefused.
   */
  async transaction(
    compares: readonly Compare[],
    success: readonly Operation[],
    failure: readonly Operation[] = [],
  ): Promise<TransactionAnswer> {
    const isReading = [...success, ...failure].every((operation) => 'request_range' in operation);
    return readTransaction(await this.#request('/v3/kv/txn', { compare: compares, success, failure }, isReading));
  }

  /** Compacts the history before `revision`. It is no error if etcd has compacted it already. */
  async compact(revision: number): Promise<void> {
    try {
      await this.#request('/v3/kv/compaction', { revision: String(revision) }, true);
    } catch (error) {
      if (!(error instanceof EtcdRefused && error.code === OUT_OF_RANGE)) throw error;
    }
  }

  /**
   * Reads the database size of the responding member. Rejects with EtcdUnavailable and EtcdRefused.
   */
  async storage(): Promise<EtcdStorage> {
    const [status, alarms] = await Promise.all([
      this.#request('/v3/maintenance/status', {}, true),
      this.#request('/v3/maintenance/alarm', { action: 'GET' }, true),
    ]);
    return readStorage(status, alarms);
  }

  /** Reads the list of members. Rejects with EtcdUnavailable and EtcdRefused. */
  async members(): Promise<EtcdMemberEntry[]> {
    return readMemberList(await this.#request('/v3/cluster/member/list', {}, true));
  }

  /**
   * Grants a lease, which expires after `seconds` unless it is kept alive. Resolves with its id.
   */
  async grant(seconds: number): Promise<string> {
    const { ID } = (await this.#request('/v3/lease/grant', { TTL: String(seconds) }, true)) as { ID: string };
    return ID;
  }

  /** False: the lease has expired. */
  async keepAlive(lease: string): Promise<boolean> {
    const { result } = (await this.#request('/v3/lease/keepalive', { ID: lease }, true)) as {
      result?: { TTL?: string };
    };
    return Number(result?.TTL ?? 0) > 0;
  }

  async revoke(lease: string): Promise<void> {
    await this.#request('/v3/lease/revoke', { ID: lease }, true);
  }

  /**
   * Reports the writes to keys from `key` up to `end`, from `revision` on, in order. A faulty
   * endpoint may report a write more than once. Never resolves. Rejects with EtcdCompacted, with
   * EtcdUnavailable if the connection is lost, and with the signal's reason. `onAnswer` must not
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
    const endpoint = this.settings.endpoints[this.#current];
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

  /** `isIdempotent`: the request may be carried out twice. */
  async #request(path: string, message: unknown, isIdempotent: boolean): Promise<unknown> {
    const { endpoints, timeout } = this.settings;
    const until = performance.now() + timeout;
    const reasons: string[] = [];
    for (let tries = 0; tries < endpoints.length; tries++) {
      const endpoint = endpoints[this.#current];
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
          // The Date field has whole seconds, so half a second is added.
          if (!Number.isNaN(date)) this.settings.onClock?.(endpoint, date + 500);
          return JSON.parse(text);
        }
        throw refusalOf(status, text);
      } catch (error) {
        if (error instanceof EtcdRefused) throw error;
        this.#next(endpoint);
        reasons.push(`${endpoint}: ${reasonOf(error)}`);
        const wasSent = !(error instanceof NotConnected);
        if (isLate || (wasSent && !isIdempotent)) throw new EtcdUnavailable(reasons.join('; '), wasSent, error);
      } finally {
        clearTimeout(timer);
      }
    }
    throw new EtcdUnavailable(reasons.join('; '), false);
  }

  /** Switches to the next endpoint, unless another request has done so already. */
  #next(failed: string): void {
    const { endpoints } = this.settings;
    if (endpoints[this.#current] === failed) this.#current = (this.#current + 1) % endpoints.length;
  }
}

/**
 * Converts a response with a status other than 200: to EtcdRefused, or to an Error after which
 * another endpoint is tried.
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
    // Not JSON, for example an error page of a proxy.
  }
  if (code === RESOURCE_EXHAUSTED && message.includes('space exceeded')) return new EtcdFull(message, code);
  return REFUSALS.has(code) ? new EtcdRefused(message, code) : new Error(`status ${status}: ${message}`);
}

/** The message of an error; its code if the message is empty. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'failed';
}
