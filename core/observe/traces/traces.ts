/**
 * Traces by OpenTelemetry, as the main thread collects them: spans of writes to the API, and those
 * that edge threads send. Off unless `traces.endpoint` is set.
 */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import { type ExportCounts, SpanExporter } from './exporter.ts';
import { readHeadersFile } from './headers-file.ts';
import type { FinishedSpan } from './span.ts';

interface TracesOptions {
  readonly config: Pick<Config, 'traces' | 'nodeName'>;
  readonly version: string;
  readonly metrics: Registry;
  readonly log: Logger;
}

/** What edge threads need to sample requests. */
export interface RequestSampling {
  /** The ratio of requests without a trusted parent that are sampled. */
  readonly ratio: number;
  /** Whether spans have the query of a URL. */
  readonly hasQuery: boolean;
}

export class Traces {
  readonly sampling: RequestSampling;
  /** The ratio of writes without a trusted parent that are sampled. */
  readonly writeRatio: number;
  #lost: () => number = () => 0;

  constructor(
    { ratio, writeRatio, query }: Config['traces'],
    private readonly exporter: SpanExporter,
  ) {
    this.sampling = { ratio, hasQuery: query };
    this.writeRatio = writeRatio;
  }

  /** Spans that edge threads dropped. */
  get lost(): number {
    return this.#lost();
  }

  record(span: FinishedSpan): void {
    this.exporter.add(span);
  }

  /** Reads the count of spans that edge threads dropped. */
  followLost(lost: () => number): void {
    this.#lost = lost;
  }

  stop(): Promise<void> {
    return this.exporter.stop();
  }
}

/** Null if `traces.endpoint` is not set. Throws ConfigError if the file of headers is unusable. */
export async function openTraces({ config, version, metrics, log }: TracesOptions): Promise<Traces | null> {
  const { endpoint, headersFile, serviceName } = config.traces;
  if (endpoint === undefined) {
    tracesMetrics(metrics, null, () => 0);
    return null;
  }
  if (headersFile !== undefined) readHeadersFile(headersFile);
  // The packages of OpenTelemetry are loaded only by a service that uses them.
  const { createOtlpSender } = await import('./otlp.ts');
  const send = createOtlpSender({ endpoint, headersFile, serviceName, version, nodeName: config.nodeName });
  const exporter = new SpanExporter({ send, endpoint, log });
  const traces = new Traces(config.traces, exporter);
  tracesMetrics(metrics, exporter.counts, () => traces.lost);
  return traces;
}

/**
 * Metrics of traces. They exist with the value 0 when traces are off.
 *
 * Null: traces are off. `lost`: spans that edge threads dropped.
 */
function tracesMetrics(registry: Registry, counts: Readonly<ExportCounts> | null, lost: () => number): void {
  registry.read('counter', 'waypost_trace_spans_total', 'Spans that the collector accepted.', [], (emit) =>
    emit(counts?.exported ?? 0),
  );
  registry.read(
    'counter',
    'waypost_trace_spans_dropped_total',
    'Spans that were dropped: a queue was full, or the collector did not accept them.',
    ['reason'],
    (emit) => {
      emit((counts?.overflowed ?? 0) + lost(), 'queue');
      emit(counts?.failed ?? 0, 'collector');
    },
  );
}
