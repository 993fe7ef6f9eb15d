/**
 * The one way of a DNS message through a thread, whatever its transport: parse, decide, answer,
 * limit, count, log. A transport brings the bytes of a message and sends those of the response.
 *
 * Hot: allocates nothing for a message that is answered here. A module that is not configured
 * costs one branch.
 */

import type { MessagePort } from 'node:worker_threads';
import { EXTENDED_ERROR } from '../dns/wire/edns.ts';
import { HEADER_LENGTH, opcodeOf, TC } from '../dns/wire/header.ts';
import { type Name, nameAt } from '../dns/wire/name.ts';
import { OPCODE, RCODE } from '../dns/wire/types.ts';
import { type Client, TRANSPORT } from '../net/address/client.ts';
import { SampleWriter } from '../observe/statistics/sample-ring.ts';
import type { Environment } from '../store/environment.ts';
import type { SharedIndex } from '../store/index/layout.ts';
import { IndexReader } from '../zone/answer/index-reader.ts';
import { COOKIE, type Query } from '../zone/answer/query.ts';
import { DEFERRED, Responder } from '../zone/answer/responder.ts';
import type { AnswerSettings } from '../zone/answer/settings.ts';
import type { SteeringState } from '../zone/steering/picker.ts';
import { COLUMN, type Slice, ThreadCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import type { SharedUdpLimit } from './deferred-limit.ts';
import { DeferredQueue, type ReplyPath } from './deferred-queue.ts';
import { TapWriter } from './dnstap/ring.ts';
import { LmdbNodeStore } from './node-store.ts';
import { QueryLogWriter } from './query-log.ts';
import type { ModuleData } from './query-modules.ts';
import { classOf, RateLimiter, RESPONSE_CLASS, type SharedRateLimit, truncate, VERDICT } from './rate-limit.ts';
import { PrefixList } from './rate-limit-prefixes.ts';

/** Smallest batch for which prefetching memory pays off. */
const PREFETCH_MIN = 4;

interface QueryHandlerParts {
  readonly index: IndexReader;
  readonly responder: Responder;
  readonly counters: ThreadCounters;
  /** Receives an exception that a message caused. */
  readonly onFault: (error: unknown) => void;
  /** Only for threads of UDP. Omitted: no rate limit. */
  readonly limiter?: RateLimiter | null;
  readonly log?: QueryLogWriter | null;
  readonly sampler?: SampleWriter | null;
  readonly tap?: TapWriter | null;
  /** Omitted: messages that need the main thread are refused. */
  readonly deferred?: DeferredQueue | null;
  /** Clients that may transfer zones without a signature. Omitted: the main thread decides. */
  readonly transferAllow?: PrefixList | null;
  /** Prefixes of clients that may transfer a single zone. */
  readonly findPrefixes?: (apex: Name) => readonly string[];
}

export class QueryHandler {
  readonly counters: ThreadCounters;
  /** For transports that wait for answers of the main thread. */
  readonly deferred: DeferredQueue | null;
  /** The last message. */
  readonly query: Query;
  readonly #index: IndexReader;
  readonly #responder: Responder;
  readonly #onFault: (error: unknown) => void;
  #limiter: RateLimiter | null;
  readonly #log: QueryLogWriter | null;
  readonly #sampler: SampleWriter | null;
  readonly #tap: TapWriter | null;
  #transferAllow: PrefixList | null;
  readonly #findPrefixes: (apex: Name) => readonly string[];

  constructor(parts: QueryHandlerParts) {
    const { index, responder, counters, onFault } = parts;
    this.counters = counters;
    this.deferred = parts.deferred ?? null;
    this.query = responder.query;
    this.#index = index;
    this.#responder = responder;
    this.#onFault = onFault;
    this.#limiter = parts.limiter ?? null;
    this.#log = parts.log ?? null;
    this.#sampler = parts.sampler ?? null;
    this.#tap = parts.tap ?? null;
    this.#transferAllow = parts.transferAllow ?? null;
    this.#findPrefixes = parts.findPrefixes ?? (() => []);
  }

  /** Replaces the limits, between two batches. */
  setLimits({ rateLimit, transferAllow, udpLimit }: HandlerLimits): void {
    this.#limiter = rateLimit && new RateLimiter(rateLimit);
    this.#transferAllow = transferAllow && new PrefixList(transferAllow);
    if (udpLimit !== null) this.deferred?.setUdpLimit(udpLimit);
  }

  /**
   * Answers the message at bytes[start, start + length) in place, between `startBatch` and
   * `endBatch`; the buffer must have room for the largest response of the transport. Returns the
   * length of the response; 0: none is sent; DEFERRED: the main thread answers through `path`.
   * Throws only what `onFault` throws.
   */
  answer(bytes: Uint8Array, start: number, length: number, client: Client, path: ReplyPath | null): number {
    try {
      if (this.#tap !== null) this.#tap.query(bytes, start, length, client);
      let size = this.#responder.respond(bytes, start, length, client);
      if (size === DEFERRED) {
        size = this.#refuseDeferred(bytes, start, client);
        if (size === DEFERRED) return this.#defer(bytes, start, length, client, path);
      }
      if (size === 0) {
        this.counters.count(COLUMN.notQuery);
        return 0;
      }
      if (this.#limiter !== null) size = this.#limit(this.#limiter, bytes, start, size, client);
      this.#record(bytes, start, size, client);
      return size;
    } catch (error) {
      this.counters.count(COLUMN.fault);
      this.#onFault(error);
      return 0;
    }
  }

  /** Answers a message that is a batch of its own. */
  answerSingle(bytes: Uint8Array, start: number, length: number, client: Client, path: ReplyPath | null): number {
    this.#index.enter();
    try {
      return this.answer(bytes, start, length, client, path);
    } finally {
      this.endBatch();
    }
  }

  /**
   * Starts a batch of `count` datagrams, the i-th at packets[i × stride]. `now`: by
   * `performance.now()`.
   */
  startBatch(now: number, packets: Uint8Array, stride: number, count: number): void {
    this.#limiter?.startBatch(now);
    this.#index.enter();
    if (count >= PREFETCH_MIN) this.#index.prefetch(packets, HEADER_LENGTH, stride, count);
  }

  endBatch(): void {
    this.#index.leave();
    this.counters.addIndexCounts(this.#index);
  }

  /** Returns the bytes to send: fewer if the response was truncated, 0 if it was dropped. */
  #limit(limiter: RateLimiter, bytes: Uint8Array, start: number, length: number, client: Client): number {
    const { query } = this;
    const verdict = limiter.judge(bytes, start, query, client);
    if (verdict === VERDICT.SEND) return length;
    if (verdict === VERDICT.DROP) {
      this.counters.count(COLUMN.rateLimited);
      return 0;
    }
    this.counters.count(COLUMN.rateSlipped);
    // An error response has no records to truncate, and TCP would not help the client. It is sent
    // unchanged.
    return classOf(bytes, start, query) === RESPONSE_CLASS.ERROR ? length : truncate(bytes, start, length, query);
  }

  /** Counts and logs a response. `length` 0: it is not sent. */
  #record(bytes: Uint8Array, start: number, length: number, client: Client): void {
    const { query } = this;
    if (length > 0) {
      this.counters.countResponse(bytes, start, query, client);
      if (this.#sampler !== null) this.#sampler.offer(bytes, start, query);
    }
    if (this.#log !== null) this.#log.offer(bytes, start, length, query, client);
    if (this.#tap !== null) this.#tap.response(bytes, start, length, client);
  }

  /**
   * Refuses the deferred message if the main thread would only refuse it, and returns the length of
   * the response; else DEFERRED. The refusals count towards the rate limit, so a flood neither
   * loads the main thread nor uses up the capacity for permitted clients.
   */
  #refuseDeferred(bytes: Uint8Array, start: number, client: Client): number {
    const responder = this.#responder;
    const transferAllow = this.#transferAllow;
    const opcode = opcodeOf(bytes, start);
    if (this.deferred === null) return responder.refuse(opcode === OPCODE.UPDATE ? RCODE.NOTIMP : RCODE.REFUSED);
    // The main thread knows the primaries that may send NOTIFY.
    if (opcode === OPCODE.NOTIFY) return DEFERRED;
    // Unsigned messages here are AXFR and IXFR. The same refusal for every zone does not reveal
    // which zones exist.
    if (transferAllow === null || this.query.isSigned || transferAllow.includes(client)) return DEFERRED;
    const prefixes = this.#findPrefixes(nameAt(bytes, start + HEADER_LENGTH));
    if (prefixes.length > 0 && new PrefixList(prefixes).includes(client)) return DEFERRED;
    this.counters.count(COLUMN.transfersRefused);
    return responder.refuse(RCODE.REFUSED, EXTENDED_ERROR.PROHIBITED);
  }

  /**
   * Sends the message to the main thread. Returns DEFERRED, or the length of a response that tells
   * the client to retry: the main thread has no capacity, or the client has reached its limit.
   */
  #defer(bytes: Uint8Array, start: number, length: number, client: Client, path: ReplyPath | null): number {
    const { counters } = this;
    const hasValidCookie = this.query.cookie === COOKIE.VALID;
    if (path !== null && this.deferred?.submit(bytes, start, length, client, hasValidCookie, path)) {
      counters.count(COLUMN.deferred);
      return DEFERRED;
    }
    counters.count(COLUMN.deferredRefused);
    const size =
      client.transport === TRANSPORT.UDP ? this.#redirectToTcp(bytes, start) : this.#responder.refuse(RCODE.SERVFAIL);
    this.#record(bytes, start, size, client);
    return size;
  }

  /**
   * Answers with TC, so that the client retries over TCP, where addresses cannot be forged.
   *
   * The response has no records, so that it does not amplify traffic towards a forged address. An
   * UPDATE also gets SERVFAIL: some clients check only the response code, and NOERROR would confirm
   * the update.
   */
  #redirectToTcp(bytes: Uint8Array, start: number): number {
    const isUpdate = opcodeOf(bytes, start) === OPCODE.UPDATE;
    const length = this.#responder.refuse(isUpdate ? RCODE.SERVFAIL : RCODE.NOERROR);
    bytes[start + 2] |= TC;
    return length;
  }
}

/** What a reload replaces; each as in HandlerData. */
export interface HandlerLimits {
  readonly rateLimit: SharedRateLimit | null;
  readonly transferAllow: readonly string[] | null;
  /** Null: no messages are deferred. */
  readonly udpLimit: SharedUdpLimit | null;
}

/** What a handler is opened with: plain data and memory that threads share. */
export interface HandlerData {
  readonly shared: SharedIndex;
  /** Number of this handler's index reader. */
  readonly readerNumber: number;
  /** Receives new slots of the index. */
  readonly port: MessagePort;
  readonly storeDirectory: string;
  /** Largest UDP response, in bytes. */
  readonly udpPayload: number;
  readonly answers: AnswerSettings;
  /** Omitted: nothing is known of clients, and all answers count as up. */
  readonly steering?: SteeringState;
  readonly counters: Slice;
  readonly modules: ModuleData;
  /** Channel for messages that the query path defers. Null: they are refused. */
  readonly deferred: DeferredChannel<MessagePort> | null;
  /**
   * Prefixes of clients that may transfer zones without a signature. Null: the handler of deferred
   * messages decides.
   */
  readonly transferAllow: readonly string[] | null;
}

/** `environment`: the store that this thread has open already. */
export function openQueryHandler(
  data: HandlerData,
  onFault: (error: unknown) => void,
  environment?: Environment,
): QueryHandler {
  const { deferred, transferAllow } = data;
  const { rateLimit, queryLog, ring, tap } = data.modules;
  const store = new LmdbNodeStore(data.storeDirectory, environment);
  const index = new IndexReader(data.shared, data.readerNumber, data.port, store);
  if (index.isStoreOnly) store.open();
  const counters = new ThreadCounters(data.counters);
  return new QueryHandler({
    index,
    responder: new Responder(index, data.udpPayload, data.answers, data.steering),
    counters,
    onFault,
    limiter: rateLimit && new RateLimiter(rateLimit),
    log: queryLog && new QueryLogWriter(queryLog, counters),
    sampler: ring && new SampleWriter(ring),
    tap: tap && new TapWriter(tap),
    deferred: deferred && new DeferredQueue(deferred),
    transferAllow: transferAllow && new PrefixList(transferAllow),
    findPrefixes: (apex) => store.transferPrefixes(apex),
  });
}
