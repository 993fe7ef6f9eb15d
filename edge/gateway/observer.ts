/** Is told of every exchange that has begun and ended: counts it, writes it down, and tells the operator of origins that fail. */

import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { ExchangeRecord } from '../proxy/record.ts';
import type { AccessLog } from './access-log.ts';
import type { Destination, GatewayCounters } from './counters.ts';

/** A fault of an origin, once in a while. `detail` may name its address: it is for the log of the operator. */
export type OnOriginFault = (fault: string, count: number, domain: string, detail: string) => void;

export class Observer {
  readonly #counters: GatewayCounters;
  readonly #log: AccessLog | null;
  readonly #onFault: OnOriginFault;
  readonly #throttle = new LogThrottle();

  constructor(counters: GatewayCounters, log: AccessLog | null, onFault: OnOriginFault) {
    this.#counters = counters;
    this.#log = log;
    this.#onFault = onFault;
  }

  begun(exchange: Exchange): void {
    this.#log?.begin(exchange);
  }

  /** What the gateway answers by itself, or passes on to the admin API. */
  answered(exchange: Exchange, destination: Destination, status: number, bytes: number, requestId = ''): void {
    this.#counters.ended(destination, status, bytes);
    this.#log?.end({ exchange, domain: '', requestId, status, bytes, cache: 'none', originMs: -1 });
  }

  /** What the proxy has answered. */
  readonly done = (record: ExchangeRecord): void => {
    const { exchange, site, requestId, status, bytes, cache, originMs, fault, isWhole } = record;
    const counters = this.#counters;
    counters.ended('site', status, bytes);
    counters.cached(cache);
    if (originMs >= 0) counters.answered(originMs);
    if (!isWhole) counters.cut();
    if (fault !== null) {
      counters.failed(fault);
      const count = this.#throttle.due(fault);
      if (count > 0) this.#onFault(fault, count, site.domain, record.detail);
    }
    this.#log?.end({ exchange, domain: site.domain, requestId, status, bytes, cache, originMs });
  };
}
