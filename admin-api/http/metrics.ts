/** Metrics of the requests to the admin API. */
import type { Cell, Counter, Distribution, Histogram, Registry } from '../../core/base/metrics/registry.ts';

/** Seconds: from a read in memory to the compilation of a large zone file. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * RFC 9110 section 9.3, and PATCH (RFC 5789). All other methods share one label, because a client
 * can invent any number of them.
 */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/** The label of requests without a route. */
const NO_ROUTE = 'none';

export class HttpMetrics {
  readonly #requests: Counter;
  readonly #durations: Histogram;
  /** By method, route and status. Their number is bounded, because no label is a client's text. */
  readonly #series = new Map<string, { readonly count: Cell; readonly durations: Distribution }>();

  constructor(registry: Registry) {
    this.#requests = registry.counter(
      'waypost_http_requests_total',
      'Requests to the admin API, by method, route template and status.',
      ['method', 'route', 'status'],
    );
    this.#durations = registry.histogram(
      'waypost_http_request_duration_seconds',
      'Time from the header of a request to its response, without the time to send a long body.',
      ['method', 'route'],
      BOUNDS,
    );
  }

  /**
   * `route`: the matched template, such as `/api/v1/domains/:id`, or null. Never the path, because
   * a client could create any number of labels. `seconds`: from the header of the request to the
   * response. `requestId`: the exemplar.
   */
  observe(method: string, route: string | null, status: number, seconds: number, requestId?: string): void {
    const verb = METHODS.has(method) ? method : 'other';
    const template = route ?? NO_ROUTE;
    const key = `${verb}${status}${template}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = {
        count: this.#requests.cell(verb, template, String(status)),
        durations: this.#durations.distributionOf(verb, template),
      };
      this.#series.set(key, series);
    }
    series.count.value++;
    this.#durations.note(series.durations, seconds, requestId);
  }
}
