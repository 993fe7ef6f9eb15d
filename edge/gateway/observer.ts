/**
 * Observes every exchange: counts it, writes it to the access log and to the customer's request
 * logs, samples it for the live tail and for traces, and reports origin faults.
 */

import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import type { ExchangeRecord } from '../proxy/record.ts';
import type { Site } from '../sites/site.ts';
import type { AccessLog } from './access-log.ts';
import type { Destination, GatewayCounters } from './counters.ts';
import type { LogEntry, LogLines } from './log-lines.ts';
import type { SiteCounts } from './site-counts.ts';
import type { TailSampler } from './tail-sampler.ts';

/**
 * Reports a fault of an origin, throttled. `detail` may contain the origin's address, so it is for
 * the operator's log only.
 */
type OnOriginFault = (fault: string, count: number, domain: string, detail: string) => void;

export class Observer {
  readonly #counters: GatewayCounters;
  readonly #log: AccessLog | null;
  readonly #tail: TailSampler | null;
  readonly #onFault: OnOriginFault;
  readonly #sites: SiteCounts | null;
  readonly #traces: RequestTraces | null;
  readonly #lines: LogLines | null;
  readonly #throttle = new LogThrottle();

  /** `null` for statistics, traces or request logs: they are off. */
  constructor(
    counters: GatewayCounters,
    log: AccessLog | null,
    onFault: OnOriginFault,
    tail: TailSampler | null = null,
    sites: SiteCounts | null = null,
    traces: RequestTraces | null = null,
    lines: LogLines | null = null,
  ) {
    this.#counters = counters;
    this.#log = log;
    this.#onFault = onFault;
    this.#tail = tail;
    this.#sites = sites;
    this.#traces = traces;
    this.#lines = lines;
  }

  recordStart(exchange: Exchange): void {
    this.#log?.recordStart(exchange);
    this.#tail?.recordStart(exchange);
    this.#traces?.recordStart(exchange);
  }

  /** Call it when the site of an exchange is found. */
  recordSite(exchange: Exchange, { documents }: Site): void {
    if (documents !== null && documents.logs !== null) this.#lines?.recordStart(exchange, documents.logs);
  }

  /** Records a response of the gateway or of the admin API. */
  recordAnswer(exchange: Exchange, destination: Destination, status: number, bytes: number, requestId = ''): void {
    this.#counters.countResponse(destination, status, bytes);
    this.#log?.recordEnd({ exchange, domain: '', requestId, status, bytes, cache: 'none', originMs: -1 });
    if (this.#traces?.isActive)
      this.#traces.recordEnd({ exchange, destination, domain: '', requestId, status, bytes, cache: '', fault: null });
  }

  /**
   * Records a response of the gateway for a site. `site`: undefined if the host belongs to the
   * admin API.
   */
  recordSiteAnswer(
    exchange: Exchange,
    destination: Destination,
    status: number,
    bytes: number,
    site: Site | undefined,
    requestId = '',
  ): void {
    this.recordAnswer(exchange, destination, status, bytes, requestId);
    if (site === undefined) return;
    this.#sites?.count(site, status, 'none', bytes);
    this.#tail?.recordEnd({ exchange, domainId: site.domainId, status, bytes, cache: 'none' });
    this.#recordLine({ exchange, site, requestId, status, bytes, cache: 'none', originMs: -1, fault: null });
  }

  #recordLine(entry: LogEntry): void {
    const { documents } = entry.site;
    if (documents !== null && documents.logs !== null) this.#lines?.recordEnd(entry, documents.logs);
  }

  /** Records a response of the proxy. */
  readonly recordProxied = (record: ExchangeRecord): void => {
    const { exchange, site, requestId, status, bytes, cache, originMs, fault, isWhole } = record;
    const counters = this.#counters;
    counters.countResponse('site', status, bytes);
    counters.countCacheOutcome(cache);
    this.#sites?.count(site, status, cache, bytes);
    if (originMs >= 0) counters.recordOriginTime(originMs);
    if (!isWhole) counters.countIncomplete();
    if (fault !== null) {
      counters.countFault(fault);
      const count = this.#throttle.due(fault);
      if (count > 0) this.#onFault(fault, count, site.domain, record.detail);
    }
    this.#log?.recordEnd({ exchange, domain: site.domain, requestId, status, bytes, cache, originMs });
    this.#tail?.recordEnd({ exchange, domainId: site.domainId, status, bytes, cache });
    if (this.#traces?.isActive) traceProxied(this.#traces, record);
    this.#recordLine(record);
  };
}

/** Separate from `recordProxied`, which V8 inlines only while it is small. */
function traceProxied(traces: RequestTraces, record: ExchangeRecord): void {
  const { exchange, site, requestId, status, bytes, cache, fault } = record;
  traces.recordEnd({ exchange, destination: 'site', domain: site.domain, requestId, status, bytes, cache, fault });
}
