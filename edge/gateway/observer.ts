/**
 * Observes every exchange: counts it, writes it to the access log and to the customer's request
 * logs, samples it for the live tail and for traces, and reports origin faults.
 */

import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import { type ExchangeRecord, exchangeRecord } from '../proxy/record.ts';
import type { Site } from '../sites/site.ts';
import type { AccessLog } from './access-log.ts';
import type { Destination, GatewayCounters } from './counters.ts';
import type { LogLines } from './log-lines.ts';
import type { SiteCounts } from './site-counts.ts';
import type { TailSampler } from './tail-sampler.ts';

/**
 * Reports a fault of an origin, throttled. `detail` may contain the origin's address, so it is for
 * the operator's log only.
 */
type OnOriginFault = (fault: string, count: number, domain: string, detail: string) => void;

export class Observer {
  readonly #throttle = new LogThrottle();

  /** `null` for statistics, traces or request logs: they are off. */
  constructor(
    private readonly counters: GatewayCounters,
    private readonly log: AccessLog | null,
    private readonly onFault: OnOriginFault,
    private readonly tail: TailSampler | null = null,
    private readonly sites: SiteCounts | null = null,
    private readonly traces: RequestTraces | null = null,
    private readonly lines: LogLines | null = null,
  ) {}

  recordStart(exchange: Exchange): void {
    this.log?.recordStart(exchange);
    this.tail?.recordStart(exchange);
    this.traces?.recordStart(exchange);
  }

  /** Call it when the site of an exchange is found. */
  recordSite(exchange: Exchange, { documents }: Site): void {
    if (documents !== null && documents.logs !== null) this.lines?.recordStart(exchange, documents.logs);
  }

  /** Records a response of the gateway or of the admin API. */
  recordAnswer(exchange: Exchange, destination: Destination, status: number, bytes: number, requestId = ''): void {
    const record = exchangeRecord(exchange, null, requestId, status, bytes);
    this.counters.countResponse(destination, status, bytes);
    this.log?.recordEnd(record);
    if (this.traces?.isActive) this.traces.recordEnd(record, destination);
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
    if (site !== undefined) this.#recordOfSite(exchangeRecord(exchange, site, requestId, status, bytes));
  }

  /** Records a response of the proxy. */
  readonly recordProxied = (record: ExchangeRecord): void => {
    const { site, status, bytes, cache, originMs, fault, isWhole } = record;
    const { counters } = this;
    counters.countResponse('site', status, bytes);
    counters.countCacheOutcome(cache);
    if (originMs >= 0) counters.recordOriginTime(originMs);
    if (!isWhole) counters.countIncomplete();
    if (fault !== null) {
      counters.countFault(fault);
      const count = this.#throttle.due(fault);
      if (count > 0) this.onFault(fault, count, site.domain, record.detail);
    }
    this.log?.recordEnd(record);
    if (this.traces?.isActive) this.traces.recordEnd(record, 'site');
    this.#recordOfSite(record);
  };

  #recordOfSite(record: ExchangeRecord): void {
    const { site, status, bytes, cache } = record;
    this.sites?.count(site, status, cache, bytes);
    this.tail?.recordEnd(record);
    const { documents } = site;
    if (documents !== null && documents.logs !== null) this.lines?.recordEnd(record, documents.logs);
  }
}
