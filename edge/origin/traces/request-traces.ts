/**
 * Traces of the requests of an edge thread. A request that is not sampled costs one subtraction and
 * one comparison at its start, and one comparison at its end. Finished spans are sent to the main
 * thread as plain objects, in batches; the thread itself runs nothing of OpenTelemetry.
 *
 * Requests that are not sampled keep the traceparent of the visitor (the forwarding mode of W3C
 * Trace Context). The origin of a sampled request gets the edge's own.
 */
import { methodAttribute, type SpanAttributes, type StartedSpan, spanTime } from '../../../core/observe/traces/span.ts';
import {
  formatTraceParent,
  newSpanId,
  parentOf,
  RatioSampler,
  type RemoteContext,
  startSpan,
  type TraceParent,
} from '../../../core/observe/traces/trace-context.ts';
import type { RequestSampling } from '../../../core/observe/traces/traces.ts';
import { hostOf, siteHost } from '../../http/exchange/authority.ts';
import type { Exchange } from '../../http/exchange/exchange.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { OriginError, type OriginRequest, type Send } from '../origin.ts';
import type { SpanSender } from './span-sender.ts';

/** Characters of a path, a query, a User-Agent. */
const MAX_TEXT = 512;

/** How an exchange ended: a part of ExchangeRecord (edge/proxy/record.ts). */
interface RequestEnd {
  readonly exchange: Exchange;
  /** Null: no site. */
  readonly site: { readonly domain: string } | null;
  readonly requestId: string;
  readonly status: number;
  readonly bytes: number;
  /** Result of the cache. */
  readonly cache: string;
  /** The fault of the origin; null: none. */
  readonly fault: string | null;
}

export interface RequestTracesOptions extends RequestSampling {
  /** The address of the visitor. */
  readonly addressOf: (exchange: Exchange) => string;
  /** Whether an address belongs to a trusted proxy; null: there are none. */
  readonly trusts: ((address: string) => boolean) | null;
  readonly sender: Pick<SpanSender, 'add'>;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
}

export class RequestTraces {
  readonly #options: RequestTracesOptions;
  readonly #sampler: RatioSampler;
  readonly #trusts: RequestTracesOptions['trusts'];
  /** Spans of sampled requests. Fetches in the background read them after the request has ended. */
  readonly #spans = new WeakMap<Exchange, StartedSpan>();
  /** Sampled requests that have not ended. */
  #active = 0;

  constructor(options: RequestTracesOptions) {
    this.#options = options;
    this.#sampler = new RatioSampler(options.ratio, options.random);
    this.#trusts = options.trusts;
  }

  /** Call it at the start of each exchange. */
  recordStart(exchange: Exchange): void {
    if (this.#trusts?.(exchange.client.address)) this.#startTrusted(exchange);
    else if (this.#sampler.isNextSampled()) this.#start(exchange, contextOf(exchange.headers), null);
  }

  /** Parent-based: the decision of a trusted parent holds. */
  #startTrusted(exchange: Exchange): void {
    const context = contextOf(exchange.headers);
    const parent = parentOf(context);
    if (parent === null ? this.#sampler.isNextSampled() : parent.isSampled) this.#start(exchange, context, parent);
  }

  /** `trusted`: the parent whose trace is continued. */
  #start(exchange: Exchange, context: RemoteContext, trusted: TraceParent | null): void {
    const parent = trusted ?? parentOf(context);
    this.#spans.set(exchange, startSpan(parent, context.traceState, trusted !== null, spanTime()));
    this.#active++;
  }

  /** Whether any request is sampled and has not ended: then call `recordEnd` at the next end. */
  get isActive(): boolean {
    return this.#active > 0;
  }

  /**
   * Call it at the end of each exchange, if `isActive`. `destination`: the handler of the request:
   * a site, the admin API, …
   */
  recordEnd(end: RequestEnd, destination: string): void {
    const span = this.#spans.get(end.exchange);
    if (span === undefined) return;
    this.#active--;
    const { traceId, spanId, parentId, isParentRemote, traceState, link, start } = span;
    this.#options.sender.add({
      traceId,
      spanId,
      parentId,
      isParentRemote,
      traceState,
      link,
      name: methodAttribute(end.exchange.method),
      kind: 'server',
      start,
      end: spanTime(),
      attributes: this.#attributesOf(end, destination),
      isError: end.status >= 500,
    });
  }

  /** Without spreads, which cost several microseconds. */
  #attributesOf(end: RequestEnd, destination: string): SpanAttributes {
    const { exchange, site, requestId, status, bytes, cache, fault } = end;
    const { method, scheme, authority, path, version, headers } = exchange;
    const query = path.indexOf('?');
    const attributes: Record<string, string | number> = {
      'http.request.method': methodAttribute(method),
      'url.scheme': scheme,
      'url.path': path.slice(0, Math.min(query < 0 ? path.length : query, MAX_TEXT)),
      'server.address': siteHost(authority),
      'client.address': this.#options.addressOf(exchange),
      'network.protocol.version': version,
      'http.response.status_code': status,
      'http.response.body.size': bytes,
      'waypost.destination': destination,
    };
    if (this.#options.hasQuery && query >= 0) attributes['url.query'] = path.slice(query + 1, query + 1 + MAX_TEXT);
    const port = portOf(authority);
    if (port !== null) attributes['server.port'] = port;
    const agent = fieldOf(headers, 'user-agent');
    if (agent !== '') attributes['user_agent.original'] = agent.slice(0, MAX_TEXT);
    if (site !== null) {
      attributes['waypost.cache'] = cache;
      attributes['waypost.domain'] = site.domain;
    }
    if (requestId !== '') attributes['waypost.request_id'] = requestId;
    if (status >= 500) attributes['error.type'] = fault ?? String(status);
    return attributes;
  }

  /**
   * Sends with a span for each request to an origin, whose fields name that span as the parent.
   * Null: the visitor's request is not sampled.
   */
  tracedSend(exchange: Exchange, send: Send): Send | null {
    const span = this.#spans.get(exchange);
    if (span === undefined) return null;
    return (request, receiver) => {
      const spanId = newSpanId();
      const start = spanTime();
      send(
        { ...request, headers: withContext(request.headers, span, spanId) },
        {
          onResponse: (response) => {
            const { status } = response;
            this.#recordFetch(span, spanId, start, request, status, status >= 400 ? String(status) : '');
            receiver.onResponse(response);
          },
          onFailure: (error) => {
            const type = error instanceof OriginError ? error.fault : 'internal';
            this.#recordFetch(span, spanId, start, request, 0, type);
            receiver.onFailure(error);
          },
        },
      );
    };
  }

  /**
   * `status`: 0: there was no response. In client spans, 4xx is an error too (semantic conventions
   * for HTTP).
   */
  #recordFetch(
    { traceId, spanId: parentId, traceState }: StartedSpan,
    spanId: string,
    start: number,
    { method, origin }: OriginRequest,
    status: number,
    errorType: string,
  ): void {
    const name = methodAttribute(method);
    const attributes: Record<string, string | number> = {
      'http.request.method': name,
      'server.address': origin.host,
      'server.port': origin.port,
      'url.scheme': origin.protocol,
    };
    if (status !== 0) attributes['http.response.status_code'] = status;
    if (errorType !== '') attributes['error.type'] = errorType;
    this.#options.sender.add({
      traceId,
      spanId,
      parentId,
      isParentRemote: false,
      traceState,
      link: null,
      name,
      kind: 'client',
      start,
      end: spanTime(),
      attributes,
      isError: errorType !== '',
    });
  }

  /**
   * The fields of a request to the admin API, whose span is a child. The API trusts the edge, so a
   * visitor's fields are removed from every request.
   */
  apiFields(exchange: Exchange, fields: FieldList): string[] {
    const span = this.#active === 0 ? undefined : this.#spans.get(exchange);
    return span === undefined ? withoutContext(fields) : withContext(fields, span, span.spanId);
  }
}

function contextOf(headers: FieldList): RemoteContext {
  return { traceParent: fieldOf(headers, 'traceparent'), traceState: fieldOf(headers, 'tracestate') };
}

/** Repeated fields are joined: then traceparent is invalid, and tracestate is one list. */
function fieldOf(headers: FieldList, name: string): string {
  let value = '';
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) value = value === '' ? headers[i + 1] : `${value},${headers[i + 1]}`;
  return value;
}

function withoutContext(fields: FieldList): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2)
    if (fields[i] !== 'traceparent' && fields[i] !== 'tracestate') kept.push(fields[i], fields[i + 1]);
  return kept;
}

function withContext(fields: FieldList, { traceId, traceState }: StartedSpan, spanId: string): string[] {
  const changed = withoutContext(fields);
  changed.push('traceparent', formatTraceParent({ traceId, spanId, isSampled: true }));
  if (traceState !== '') changed.push('tracestate', traceState);
  return changed;
}

/** Null: the default port of the scheme. */
function portOf(authority: string): number | null {
  const host = hostOf(authority);
  return host.length === authority.length ? null : Number(authority.slice(host.length + 1));
}
