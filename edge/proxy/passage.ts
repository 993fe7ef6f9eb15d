/** One exchange in the proxy: forwards the request to the origin, the response to the visitor. */

import { fromUrlHost } from '../../core/net/address/url-host.ts';
import { changeFields } from '../../core/site/rules/index.ts';
import { NO_UPLOAD_TERMS, type UploadTerms } from '../../core/site/uploads.ts';
import { withRuleTtl } from '../cache/rules/freshness.ts';
import type { CacheOutcome, Done, ResponseHandler, Visit } from '../cache/visit.ts';
import { hostOf, siteHost } from '../http/exchange/authority.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { Exchange, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { Pending } from '../http/exchange/pending.ts';
import type { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import { type PoolReceiver, type PoolRequest, sendToPool } from '../origin/failover.ts';
import {
  type InformReceiver,
  isEventStream,
  isOfVisitor,
  type OriginBody,
  OriginCancel,
  OriginError,
  type OriginRequest,
  type OriginResponse,
  type RequestId,
  requestId,
  type Send,
} from '../origin/origin.ts';
import { isHttp2, type Origin } from '../origin/origin-address.ts';
import type { PoolRoute } from '../origin/pool-route.ts';
import type { OriginPlace } from '../origin/spellings.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import type { CachePeers, Peer, PeerRequest } from '../peers/cache-peers.ts';
import { answerError, type ErrorPage } from '../sites/error-page.ts';
import type { Site } from '../sites/site.ts';
import type { SitePools } from '../sites/site-pools.ts';
import { type Compression, compressResponse, encodingsForOrigin } from './coding.ts';
import { grpcEnding, grpcRefusal } from './grpc.ts';
import { Gate } from './outflow.ts';
import {
  EXPECTATION_FAILED,
  FAULT_PAGES,
  type FaultPages,
  LOOP,
  NOT_CACHED,
  SLOW_BODY,
  UPLOAD_TOO_LARGE,
} from './pages.ts';
import { exchangeRecord, type OnDone } from './record.ts';
import { relay, type TrailerFilter } from './relay.ts';
import { bodyForOrigin, bufferBodyStart, bufferTerms, LimitedBody } from './request-body.ts';
import { type RequestRules, requestFields } from './request-fields.ts';
import { fieldsWithoutOrigin } from './response-fields.ts';
import { networkOf, normalAuthority, sourceOf, visitedSiteOf } from './visitor.ts';
import { fieldsForVisitor, trailersForVisitor } from './visitor-fields.ts';

/** Shared by all passages of a proxy. */
export interface PassageContext {
  readonly send: Send;
  readonly rules: RequestRules;
  readonly compression: Compression | undefined;
  readonly onDone: OnDone | undefined;
  /** Null: traces are off. */
  readonly traces: RequestTraces | null;
  /** Null: the cache is not shared with other nodes. */
  readonly peers: CachePeers | null;
}

/** Waits for the response of the origin and passes it to the handler. */
class Receiving extends Pending implements PoolReceiver {
  readonly #passage: Passage;
  /** Null: the domain's own origin. */
  readonly #route: PoolRoute | null;
  readonly #handler: ResponseHandler;

  constructor(passage: Passage, route: PoolRoute | null, handler: ResponseHandler) {
    super();
    this.#passage = passage;
    this.#route = route;
    this.#handler = handler;
  }

  onResponse(response: OriginResponse, target = -1, preferred = -1): void {
    try {
      if (this.#route !== null) this.#passage.onTarget(this.#route, target, preferred);
      this.endWith(this.#passage.responded(response, this.#handler));
    } catch (error) {
      this.onFailed(error);
    }
  }

  /**
   * Calls the handler in a microtask, since the visitor may be cancelling the request now. The
   * promise resolves with the error: Node 24 keeps each rejected promise in a Map, even a handled
   * one. Objects in that Map survive young-generation collections (core/base/fair-queue.ts).
   */
  onFailure(error: Error): void {
    this.endWith(Promise.resolve(error).then((reason) => this.#handler.onFailure(reason)));
  }
}

/** Receives the head of a response before it is sent to the visitor. */
type OnHead = (status: number, fields: FieldList) => void;

export class Passage implements Visit, TrailerFilter, InformReceiver {
  readonly id: RequestId;
  outcome: CacheOutcome = 'none';
  hasLeft = false;
  outlivesVisitor = false;
  /** Both sides may be silent for long and send at any time, as in gRPC. */
  isConversation = false;
  /** Deadline of the request to the origin in milliseconds. Undefined: none. */
  deadlineMs: number | undefined = undefined;
  readonly #context: PassageContext;
  readonly #gate: Gate;
  /** Cancels the request to the origin. Null after the response head has arrived. */
  #cancel: OriginCancel | null = null;
  /** The request body, if only its end would show that it is too large. */
  #limited: LimitedBody | null = null;
  /** The response body that is being sent. */
  #body: OriginBody | null = null;
  #originMs = -1;
  /** Host name and addresses of the origin. Undefined until it has responded. */
  #identity: OriginPlace | undefined;
  #error: OriginError | null = null;
  /** Pool of the request. Null: the domain's own origin. Undefined: not determined yet. */
  #route: PoolRoute | null | undefined = undefined;
  /** Index of the origin of the pool that responded. -1: none. */
  #target = -1;
  /** Set-Cookie value for a sticky session. Empty: none is needed. */
  #stickyCookie = '';

  constructor(
    context: PassageContext,
    readonly exchange: Exchange,
    readonly site: Site,
    readonly isBackground = false,
  ) {
    this.#context = context;
    // A rule may have used an id of `requestId` already.
    this.id = (site.changes?.requestId as RequestId | undefined) || requestId();
    this.#gate = new Gate(exchange);
    if (!isBackground) exchange.onAbort(() => this.#onAbort());
  }

  #onAbort(): void {
    this.hasLeft = true;
    if (!this.outlivesVisitor) this.#cancel?.cancel();
    this.#body?.cancel();
    this.#gate.open();
  }

  /** The domain's origin, or the first of the pool. All origins of a pool use one HTTP version. */
  get origin(): Origin {
    if (this.#route === undefined) this.#route = this.#findRoute();
    return this.#route === null ? this.site.origin : this.#route.origins[0];
  }

  #findRoute(): PoolRoute | null {
    const pools = this.site.documents?.pools;
    return pools ? this.#routeIn(pools) : null;
  }

  sharedRequestFields(): FieldList | undefined {
    return this.fieldsForOrigin('', true);
  }

  /**
   * The fields of the request to the origin. `acceptEncoding`: the codings that the origin may use.
   * `isShared`: the response may also be sent to other visitors. Undefined: the request is not
   * forwarded, and the visitor has received an error page.
   */
  fieldsForOrigin(acceptEncoding: string, isShared = false): FieldList | undefined {
    const { changes, sendsForwarded } = this.site;
    const fields = requestFields(this.exchange, this.#context.rules, acceptEncoding, isShared, sendsForwarded);
    if (typeof fields !== 'number')
      return changes === undefined ? fields : changeFields(fields, changes.requestHeaders);
    if (!this.isBackground) this.refuse(fields === 508 ? LOOP : EXPECTATION_FAILED);
    return undefined;
  }

  fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void> {
    const cache = this.site.changes?.cache;
    const receiver: ResponseHandler =
      cache == null
        ? handler
        : {
            onResponse: (response) =>
              handler.onResponse({ ...response, headers: withRuleTtl(response.status, response.headers, cache) }),
            onFailure: (error) => handler.onFailure(error),
          };
    return this.fetch(this.isBackground ? 'GET' : this.exchange.method, headers, NO_BODY, '', receiver);
  }

  askOwner(
    key: string,
    headers: FieldList,
    onResponse: (response: OriginResponse, result: 'hit' | 'miss') => Done,
    onFailure: () => Done,
  ): Promise<void> | undefined {
    const { peers } = this.#context;
    const owner = peers?.ownerOf(key);
    // The response to a sticky visitor needs a cookie of its own, so no other node serves it.
    if (peers === null || owner === undefined || this.#isSticky()) return undefined;
    const cancel = new OriginCancel();
    this.#cancel = cancel;
    return this.#askOwner(peers, owner, this.#peerRequest(key, headers, cancel), onResponse, onFailure);
  }

  async #askOwner(
    peers: CachePeers,
    owner: Peer,
    request: PeerRequest,
    onResponse: (response: OriginResponse, result: 'hit' | 'miss') => Done,
    onFailure: () => Done,
  ): Promise<void> {
    const answer = await peers.ask(owner, request);
    this.#cancel = null;
    return answer === undefined ? onFailure() : onResponse(answer.response, answer.result);
  }

  onInvalidated(key: string): void {
    this.#context.peers?.invalidate(key);
  }

  #isSticky(): boolean {
    if (this.#route === undefined) this.#route = this.#findRoute();
    return this.#route?.isSticky === true;
  }

  #peerRequest(key: string, headers: FieldList, cancel: OriginCancel): PeerRequest {
    const { exchange, site } = this;
    const { rules } = this.#context;
    const { origin = null, cache = null } = site.changes ?? {};
    const lifetime = cache === null ? null : { ttl: cache.ttl, overrides: cache.overrides, maxTtl: cache.maxTtl };
    return {
      path: this.#path(),
      authority: normalAuthority(exchange, rules),
      headers,
      call: { key, origin, lifetime },
      client: networkOf(exchange, rules),
      site: site.domainId,
      cancel,
      onInform: (status, fields) => this.onInform(status, fields),
    };
  }

  /**
   * Sends a request to the origin. Settles with the result of the `handler` method that it calls.
   * The request is cancelled when the visitor disconnects, unless `outlivesVisitor` is set.
   */
  fetch(
    method: string,
    headers: FieldList,
    body: RequestBody,
    protocol: string,
    handler: ResponseHandler,
  ): Promise<void> {
    const { exchange, origin } = this;
    const route = this.#route ?? null;
    const { traces } = this.#context;
    const send = traces?.tracedSend(exchange, this.#context.send) ?? this.#context.send;
    const cancel = new OriginCancel();
    this.#cancel = cancel;
    const request: PoolRequest = {
      origin,
      serverName: fromUrlHost(hostOf(exchange.authority)),
      method,
      path: this.#path(),
      authority: normalAuthority(exchange, this.#context.rules),
      headers,
      id: this.id,
      body,
      client: networkOf(exchange, this.#context.rules),
      source: origin.proxyProtocol === undefined ? undefined : sourceOf(exchange, this.#context.rules),
      visitor: exchange.client,
      site: this.site.domainId,
      isLenient: this.site.isLenient,
      protocol,
      memory: exchange.memory,
      deadlineMs: this.deadlineMs,
      isConversation: this.isConversation,
      cancel,
      informs: this,
    };
    const receiving = new Receiving(this, route, handler);
    if (route === null) send(request, receiving);
    else sendToPool(send, route, request, exchange.headers, receiving);
    return receiving;
  }

  /**
   * Sends a GET to a server that is not an origin of the site. The visitor's disconnect cancels it.
   * Rejects with OriginError.
   */
  ask(origin: Origin, authority: string, path: string, headers: FieldList, timeoutMs: number): Promise<OriginResponse> {
    const { exchange } = this;
    const { rules, traces } = this.#context;
    const send = traces?.tracedSend(exchange, this.#context.send) ?? this.#context.send;
    const cancel = new OriginCancel();
    this.#cancel = cancel;
    const timer = setTimeout(() => cancel.cancel(), timeoutMs);
    return new Promise<OriginResponse>((resolve, reject) => {
      const request: OriginRequest = {
        origin,
        serverName: origin.host,
        method: 'GET',
        path,
        authority,
        headers,
        id: this.id,
        body: NO_BODY,
        client: networkOf(exchange, rules),
        visitor: exchange.client,
        site: this.site.domainId,
        protocol: '',
        memory: exchange.memory,
        cancel,
      };
      send(request, { onResponse: resolve, onFailure: reject });
    }).finally(() => {
      clearTimeout(timer);
      this.#cancel = null;
    });
  }

  /** Called by Receiving with the response head of the origin. */
  responded(response: OriginResponse, handler: ResponseHandler): Done {
    this.#cancel = null;
    this.#identity = response.identity;
    this.#originMs = response.responseTime - response.requestTime;
    return handler.onResponse(response);
  }

  /** Called by Receiving with the origin of the pool that responded. */
  onTarget(route: PoolRoute, target: number, preferred: number): void {
    this.#target = target;
    if (target === preferred) return;
    const isSecure = visitedSiteOf(this.exchange, this.#context.rules).scheme === 'https';
    this.#stickyCookie = route.cookieFor(target, isSecure);
  }

  /** The pool that a rule names, or the pool of the path. Null: the site's own origin. */
  #routeIn(pools: SitePools): PoolRoute | null {
    const label = this.site.changes?.origin;
    const named = label == null ? undefined : pools.labelled(label);
    return named ?? pools.routeOf(siteHost(this.exchange.authority), this.#path()) ?? null;
  }

  /** Path and query that the origin receives. */
  #path(): string {
    const { exchange, site } = this;
    if (site.changes === undefined) return exchange.path;
    const { scheme } = visitedSiteOf(exchange, this.#context.rules);
    return site.changes.targetOf(scheme, siteHost(exchange.authority), exchange.path);
  }

  /**
   * Forwards a 1xx response of the origin. The connection itself sends 100 (Continue), when the
   * body is first read (RFC 9110 section 10.1.1).
   */
  onInform(status: number, headers: FieldList, identity?: OriginPlace): void {
    this.#identity = identity;
    if (status > 101 && !this.isBackground && !this.exchange.isEnded)
      this.exchange.inform(status, this.visitorFields(headers));
  }

  /** `cacheStatus`: value of Cache-Status; empty: the field is omitted. */
  visitorFields(headers: FieldList, cacheStatus = ''): FieldList {
    const { rules } = this.#context;
    const visited = visitedSiteOf(this.exchange, rules);
    const fields = fieldsForVisitor(headers, this.site, visited, rules, this.#identity, cacheStatus);
    const { cookies } = this.site;
    if (this.#stickyCookie === '' && cookies === undefined) return fields;
    const all = this.#stickyCookie === '' ? [...fields] : [...fields, 'set-cookie', this.#stickyCookie];
    for (const cookie of cookies ?? []) all.push('set-cookie', cookie);
    return all;
  }

  storedFields(headers: FieldList): string[] {
    return fieldsWithoutOrigin(headers, this.site, visitedSiteOf(this.exchange, this.#context.rules), this.#identity);
  }

  trailersOf(fields: FieldList): FieldList {
    if (fields.length === 0) return fields;
    const { rules } = this.#context;
    return trailersForVisitor(fields, this.site, visitedSiteOf(this.exchange, rules), rules, this.#identity);
  }

  bypassCache(cacheStatus: string, outcome: CacheOutcome, onHead?: OnHead): Done {
    this.outcome = outcome;
    const { exchange } = this;
    const hasBody = exchange.body.length !== 0;
    const terms = hasBody ? this.#uploadTerms() : NO_UPLOAD_TERMS;
    const { maxSize } = terms;
    if (maxSize !== null && (exchange.body.length ?? 0) > maxSize) {
      this.refuse(UPLOAD_TOO_LARGE);
      return;
    }
    const requestHeaders = this.fieldsForOrigin(encodingsForOrigin(exchange));
    if (requestHeaders === undefined) return;
    const fetch = (body: RequestBody): Promise<void> =>
      this.fetch(exchange.method, requestHeaders, bodyForOrigin(body, isHttp2(this.origin), this.site.changes), '', {
        onResponse: ({ status, headers, body: responseBody }) => {
          const fields = this.visitorFields(headers, cacheStatus);
          onHead?.(status, fields);
          return this.respond(status, fields, responseBody);
        },
        onFailure: (error) => {
          body.discard();
          return this.respondFailure(error);
        },
      });
    if (!hasBody) return fetch(NO_BODY);
    if (maxSize !== null && exchange.body.length === undefined) this.#limited = new LimitedBody(exchange.body, maxSize);
    const source = { body: this.#limited ?? exchange.body, memory: exchange.memory };
    return bufferBodyStart(source, bufferTerms(terms.buffer)).then(
      (body) => {
        if (!exchange.isEnded) return fetch(body);
        body.discard();
        return this.abandon();
      },
      () => {
        if (this.#limited?.isTooLarge === true && !exchange.isEnded) this.refuse(UPLOAD_TOO_LARGE);
        // The visitor has disconnected, or has already received an error about the slow body.
        else this.abandon();
      },
    );
  }

  /** A rule goes before the site. */
  #uploadTerms(): UploadTerms {
    const { changes, documents } = this.site;
    const ofSite = documents?.protection?.uploads ?? NO_UPLOAD_TERMS;
    if (changes === undefined) return ofSite;
    const { maxSize, buffer } = changes.uploads;
    return { maxSize: maxSize ?? ofSite.maxSize, buffer: buffer ?? ofSite.buffer };
  }

  respond(status: number, fields: FieldList, body: OriginBody): Done {
    const { exchange } = this;
    if (exchange.isEnded) {
      body.cancel();
      this.report(499, false);
      return;
    }
    let hasStarted = false;
    try {
      const coded = compressResponse(exchange, this.site.domainId, this.#compressionOf(), status, fields, body);
      this.#body = coded.body;
      hasStarted = true;
      if (isEventStream(fields, body.length)) exchange.expectSilence?.();
      exchange.respond(status, coded.fields);
      const relaying = relay(coded.body, exchange, this, this.#gate);
      if (relaying !== undefined)
        return relaying.then(
          () => this.report(status, !this.hasLeft),
          (error) => this.#abortResponse(error, status),
        );
      this.report(status, !this.hasLeft);
    } catch (error) {
      if (hasStarted) this.#abortResponse(error, status);
      else this.respondFailure(error);
    }
  }

  /** A method, because V8 calls its runtime for each read of a private getter. */
  #compressionOf(): Compression | undefined {
    return this.site.changes?.isUncompressed === true ? undefined : this.#context.compression;
  }

  /** Aborts a partial response, so that the client does not take it for a complete one. */
  #abortResponse(error: unknown, status: number): void {
    this.#body?.cancel();
    const ending = grpcEnding(this.exchange, error);
    if (ending === undefined) this.exchange.abort();
    else this.exchange.end(undefined, ending);
    this.#recordError(error);
    const fault = this.#error?.fault;
    // It was no fault of the origin that the request had to give way to another one.
    if (fault !== undefined && fault !== 'busy' && !isOfVisitor(fault)) this.#route?.recordBroken(this.#target);
    this.report(status, false);
  }

  /** Sends a ready answer of the edge without a body. */
  sendReady(ready: ReadyAnswer): void {
    if (this.exchange.isEnded) {
      this.abandon();
      return;
    }
    this.exchange.answer(ready);
    this.report(ready.status, true);
  }

  respondWhole(status: number, fields: FieldList, body: Uint8Array): void {
    const { exchange } = this;
    if (exchange.isEnded) {
      this.abandon();
      return;
    }
    const hasContent = exchange.method !== 'HEAD' && status !== 304;
    exchange.respond(status, fields);
    exchange.end(body);
    this.#gate.bytes = hasContent ? body.length : 0;
    this.report(status, true);
  }

  /** Answers a fault of the origin with an error page. Rethrows other errors. */
  respondFailure(error: unknown, pages: FaultPages = FAULT_PAGES): void {
    this.#recordError(error);
    const fault = (error as OriginError).fault;
    if (this.exchange.isEnded) this.report(499, false);
    else if (this.#limited?.isTooLarge === true) this.refuse(UPLOAD_TOO_LARGE);
    else if (fault === 'slow-body') this.refuse(SLOW_BODY);
    else this.refuse(pages[fault === 'aborted' ? 'reset' : fault]);
  }

  #recordError(error: unknown): void {
    if (error instanceof OriginError) this.#error = error;
    else if (!this.hasLeft) throw error;
  }

  refuse(page: ErrorPage): void {
    const grpc = grpcRefusal(this.exchange, page, this.#error);
    if (grpc !== undefined) {
      this.sendReady(grpc);
      return;
    }
    this.#gate.bytes = answerError(this.exchange, page, this.id, this.site.documents?.errorPages);
    this.report(page.status, true);
  }

  abandon(): void {
    this.report(499, false);
  }

  refuseNotCached(cacheStatus: string): void {
    this.refuse({ ...NOT_CACHED, headers: ['cache-status', cacheStatus] });
  }

  /**
   * Reports the end of the exchange. `bytes` is passed for tunnels, which count their own bytes.
   */
  report(status: number, isWhole: boolean, bytes = this.#gate.bytes): void {
    if (isWhole && this.#target >= 0) this.#route?.pool.recordWhole(this.#target);
    const { onDone } = this.#context;
    if (onDone === undefined || this.isBackground) return;
    const error = this.#error;
    const isFault = error !== null && !isOfVisitor(error.fault);
    const fault = isFault ? error.fault : null;
    const detail = isFault ? error.message : '';
    const { exchange, site, id, outcome } = this;
    onDone(exchangeRecord(exchange, site, id, status, bytes, outcome, this.#originMs, fault, detail, isWhole));
  }
}
