/** An exchange on its way through the proxy: what is asked of the origin for it, and what the visitor gets. */

import { fromUrlHost } from '../../core/address/url-host.ts';
import type { CacheOutcome } from '../cache/outcome.ts';
import type { Done, Visit } from '../cache/visit.ts';
import { hostOf } from '../http/exchange/authority.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { Exchange, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import {
  type Fetch,
  isOfVisitor,
  type OriginBody,
  OriginCancel,
  OriginError,
  type OriginResponse,
} from '../origin/origin.ts';
import type { OriginPlace } from '../origin/place.ts';
import type { Site } from '../sites/site.ts';
import { begunBody } from './begun-body.ts';
import { type Compression, codedFor, passedEncodings } from './coding.ts';
import { answerError, type ErrorPage } from './error-page.ts';
import { Gate } from './gate.ts';
import { EXPECTATION_FAILED, FAULT_PAGES, LOOP, NOT_CACHED, SLOW_BODY } from './pages.ts';
import { passedBody } from './passed-body.ts';
import type { OnDone } from './record.ts';
import { relay, type TrailerFilter } from './relay.ts';
import { networkOf, normalAuthority, type RequestRules, requestFields, visitedBy } from './request-fields.ts';
import { requestId } from './request-id.ts';
import { fieldsWithoutOrigin, responseFields, responseTrailers } from './response-fields.ts';

/** What all passages of a proxy share. */
export interface PassageContext {
  readonly fetch: Fetch;
  readonly rules: RequestRules;
  readonly compression: Compression | undefined;
  readonly onDone: OnDone | undefined;
}

/** What is told of a response before the visitor gets it. */
export type OnHead = (status: number, fields: FieldList) => void;

export class Passage implements Visit, TrailerFilter {
  readonly id = requestId();
  outcome: CacheOutcome = 'none';
  hasLeft = false;
  outlivesVisitor = false;
  readonly #context: PassageContext;
  readonly #gate: Gate;
  /** Of what is asked of the origin, until its head has come. */
  #cancel: OriginCancel | null = null;
  /** What is given to the visitor. */
  #body: OriginBody | null = null;
  #originMs = -1;
  /** Of the origin, since it has responded. */
  #place: OriginPlace | undefined;
  #error: OriginError | null = null;

  constructor(
    context: PassageContext,
    readonly exchange: Exchange,
    readonly site: Site,
    readonly isBackground = false,
  ) {
    this.#context = context;
    this.#gate = new Gate(exchange);
    if (!isBackground) exchange.onAbort(() => this.#leave());
  }

  #leave(): void {
    this.hasLeft = true;
    if (!this.outlivesVisitor) this.#cancel?.cancel();
    this.#body?.cancel();
    this.#gate.open();
  }

  sharedRequestFields(): string[] | undefined {
    return this.fieldsForOrigin('', true);
  }

  /** `acceptEncoding`: the codings that the origin may use. `isForAll`: its answer may be for others, too. Undefined: it is not passed on, and the visitor has been told why. */
  fieldsForOrigin(acceptEncoding: string, isForAll = false): string[] | undefined {
    const fields = requestFields(this.exchange, this.#context.rules, this.id, acceptEncoding, isForAll);
    if (typeof fields !== 'number') return fields;
    if (!this.isBackground) this.refuse(fields === 508 ? LOOP : EXPECTATION_FAILED);
    return undefined;
  }

  fetchShared(
    headers: FieldList,
    onResponse: (response: OriginResponse) => Done,
    onFailure: (error: unknown) => Done,
  ): Promise<void> {
    return this.fetch(this.isBackground ? 'GET' : this.exchange.method, headers, NO_BODY, '', onResponse, onFailure);
  }

  /** Goes on with the response, or with what `Fetch` rejects with, and settles as that does. The visitor's going ends it unless `holdsOn`. */
  fetch(
    method: string,
    headers: FieldList,
    body: RequestBody,
    protocol: string,
    onResponse: (response: OriginResponse) => Done,
    onFailure: (error: unknown) => Done,
  ): Promise<void> {
    const { exchange, site } = this;
    const cancel = new OriginCancel();
    this.#cancel = cancel;
    const fetched = this.#context.fetch({
      origin: site.origin,
      serverName: fromUrlHost(hostOf(exchange.authority)),
      method,
      path: exchange.path,
      authority: normalAuthority(exchange, this.#context.rules),
      headers,
      body,
      client: networkOf(exchange, this.#context.rules),
      protocol,
      cancel,
      onInform: (status, fields, place) => this.#inform(status, fields, place),
    });
    return fetched.then((response) => {
      this.#cancel = null;
      this.#place = response.place;
      this.#originMs = response.responseTime - response.requestTime;
      return onResponse(response);
    }, onFailure);
  }

  /** 1xx of the origin. 100 (Continue) is the connection's own: it goes out when the body is first asked for (RFC 9110 section 10.1.1). */
  #inform(status: number, headers: FieldList, place: OriginPlace): void {
    this.#place = place;
    if (status > 101 && !this.isBackground && !this.exchange.isEnded)
      this.exchange.inform(status, this.visitorFields(headers));
  }

  visitorFields(headers: FieldList): string[] {
    const { rules } = this.#context;
    return responseFields(headers, this.site, visitedBy(this.exchange, rules), rules.name, this.#place);
  }

  storedFields(headers: FieldList): string[] {
    return fieldsWithoutOrigin(headers, this.site, visitedBy(this.exchange, this.#context.rules), this.#place);
  }

  trailersOf(fields: FieldList): FieldList {
    if (fields.length === 0) return fields;
    return responseTrailers(fields, this.site, visitedBy(this.exchange, this.#context.rules), this.#place);
  }

  bypassCache(cacheStatus: string, outcome: CacheOutcome, onHead?: OnHead): Done {
    this.outcome = outcome;
    const { exchange } = this;
    const sent = this.fieldsForOrigin(passedEncodings(exchange));
    if (sent === undefined) return;
    const onResponse = ({ status, headers, body }: OriginResponse): Done => {
      const fields = this.visitorFields(headers);
      onHead?.(status, fields);
      if (cacheStatus !== '') fields.push('cache-status', cacheStatus);
      return this.respond(status, fields, body);
    };
    const fetch = (body: RequestBody): Promise<void> =>
      this.fetch(exchange.method, sent, passedBody(body), '', onResponse, (error) => {
        body.discard();
        return this.respondFailure(error);
      });
    if (exchange.body.length === 0) return fetch(NO_BODY);
    return begunBody(exchange).then(
      (body) => {
        if (!exchange.isEnded) return fetch(body);
        body.discard();
        return this.abandon();
      },
      // The visitor has gone, or was told that the body came too slowly.
      () => this.abandon(),
    );
  }

  respond(status: number, fields: FieldList, body: OriginBody): Done {
    const { exchange } = this;
    if (exchange.isEnded) {
      body.cancel();
      this.done(499, false);
      return;
    }
    let hasBegun = false;
    try {
      const given = codedFor(exchange, this.#context.compression, status, fields, body);
      this.#body = given.body;
      hasBegun = true;
      exchange.respond(status, given.fields);
      const relayed = relay(given.body, exchange, this, this.#gate);
      if (relayed !== undefined)
        return relayed.then(
          () => this.done(status, !this.hasLeft),
          (error) => this.#breakOff(error, status),
        );
      this.done(status, !this.hasLeft);
    } catch (error) {
      if (hasBegun) this.#breakOff(error, status);
      else this.respondFailure(error);
    }
  }

  /** A response that began cannot be made whole: its end must not look like one. */
  #breakOff(error: unknown, status: number): void {
    this.#body?.cancel();
    this.exchange.abort();
    this.#note(error);
    this.done(status, false);
  }

  /** An answer of the edge itself that is no page, without a body. */
  giveReady(ready: ReadyAnswer): void {
    if (this.exchange.isEnded) {
      this.abandon();
      return;
    }
    this.exchange.answer(ready);
    this.done(ready.status, true);
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
    this.done(status, true);
  }

  /** Throws what is no fault of an origin. */
  respondFailure(error: unknown): void {
    this.#note(error);
    const fault = (error as OriginError).fault;
    if (this.exchange.isEnded) this.done(499, false);
    else if (fault === 'slow-body') this.refuse(SLOW_BODY);
    else this.refuse(FAULT_PAGES[fault === 'aborted' ? 'reset' : fault]);
  }

  #note(error: unknown): void {
    if (error instanceof OriginError) this.#error = error;
    else if (!this.hasLeft) throw error;
  }

  refuse(page: ErrorPage): void {
    this.#gate.bytes = answerError(this.exchange, page, this.id);
    this.done(page.status, true);
  }

  abandon(): void {
    this.done(499, false);
  }

  refuseNotCached(cacheStatus: string): void {
    this.refuse({ ...NOT_CACHED, headers: ['cache-status', cacheStatus] });
  }

  /** Bytes of a tunnel are counted by who carries them. */
  done(status: number, isWhole: boolean, bytes = this.#gate.bytes): void {
    const { onDone } = this.#context;
    if (onDone === undefined || this.isBackground) return;
    const error = this.#error;
    const isFault = error !== null && !isOfVisitor(error.fault);
    onDone({
      exchange: this.exchange,
      site: this.site,
      requestId: this.id,
      status,
      bytes,
      cache: this.outcome,
      originMs: this.#originMs,
      fault: isFault ? error.fault : null,
      detail: isFault ? error.message : '',
      isWhole,
    });
  }
}
