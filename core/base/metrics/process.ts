/**
 * This process as Node.js sees it: memory, CPU, the main thread's event loop, garbage collection. Metrics that every Node.js service has bear the names that
 * the usual dashboards know.
 */
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import type { Registry } from './registry.ts';

/** Milliseconds between two looks at the clock, which Node.js counts into the delay: whatever holds the thread up for longer is seen. Every 10 ms they take 5 ms of CPU a second, a quarter of what a node of a cluster does at rest. */
const RESOLUTION = 50;
/** Milliseconds that the shown delays are about, so that two who read them don't take them from one another. */
const WINDOW = 15_000;
/** Seconds. */
const GC_BOUNDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

type GcEntry = PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };

/** `stop` ends the observation. It does not keep the process alive. */
export function processMetrics(registry: Registry, version: string): { stop(): void } {
  registry.read('gauge', 'waypost_build_info', 'Always 1.', ['version', 'node'], (emit) =>
    emit(1, version, process.version),
  );
  const startedAt = (performance.timeOrigin / 1000).toFixed(3);
  registry.read('gauge', 'process_start_time_seconds', 'Start time of the process, as a Unix timestamp.', [], (emit) =>
    emit(Number(startedAt)),
  );
  registry.read('counter', 'process_cpu_seconds_total', 'User and system CPU time of all threads.', [], (emit) => {
    const { user, system } = process.cpuUsage();
    emit((user + system) / 1e6);
  });
  registry.read('gauge', 'process_resident_memory_bytes', 'Resident memory, including mapped files.', [], (emit) =>
    emit(process.memoryUsage.rss()),
  );
  registry.read('gauge', 'nodejs_heap_size_bytes', 'Heap size of the main thread.', ['state'], (emit) => {
    const { heapTotal, heapUsed } = process.memoryUsage();
    emit(heapUsed, 'used');
    emit(heapTotal - heapUsed, 'free');
  });
  const stopLoop = eventLoopMetrics(registry);
  const stopGc = gcMetrics(registry);
  return {
    stop() {
      stopLoop();
      stopGc();
    },
  };
}

function eventLoopMetrics(registry: Registry): () => void {
  registry.read(
    'counter',
    'nodejs_eventloop_active_seconds_total',
    'Time that the main thread spent working instead of waiting.',
    [],
    (emit) => emit(performance.eventLoopUtilization().active / 1000),
  );
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  const shown = new Map([
    ['p50', 0],
    ['p99', 0],
    ['max', 0],
  ]);
  const take = (): void => {
    if (delays.count > 0) {
      const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
      shown.set('p50', seconds(delays.percentile(50)));
      shown.set('p99', seconds(delays.percentile(99)));
      shown.set('max', seconds(delays.max));
    }
    delays.reset();
  };
  const timer = setInterval(take, WINDOW).unref();
  for (const [name, what] of [
    ['p50', 'Median'],
    ['p99', '99th percentile'],
    ['max', 'Maximum'],
  ])
    registry.read(
      'gauge',
      `nodejs_eventloop_lag_${name}_seconds`,
      `${what} delay of timers in the main thread, over the last complete window of ${WINDOW / 1000} seconds.`,
      [],
      (emit) => emit(shown.get(name) ?? 0),
    );
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}

function gcMetrics(registry: Registry): () => void {
  const durations = registry.histogram(
    'nodejs_gc_duration_seconds',
    'Duration of garbage collections in the main thread.',
    ['kind'],
    GC_BOUNDS,
  );
  const observer = new PerformanceObserver((list) => {
    // A list holds all collections of one turn of the event loop.
    for (const { detail, duration } of list.getEntries() as GcEntry[])
      durations.observe(duration / 1000, GC_KINDS.get(detail.kind) ?? 'other');
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
