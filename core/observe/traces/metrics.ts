/** Metrics of traces. They exist with the value 0 when traces are off. */
import type { Registry } from '../../base/metrics/index.ts';
import type { ExportCounts } from './exporter.ts';

/** Null: traces are off. `lost`: spans that edge threads dropped. */
export function tracesMetrics(registry: Registry, counts: Readonly<ExportCounts> | null, lost: () => number): void {
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
