/**
 * Metrics of this process from Node.js: memory, CPU, the event loop of the main thread, garbage
 * collection. Common metrics have the names that standard Node.js dashboards use.
 */
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { BuildInfo } from './build-info.ts';
import type { Logger } from './log/index.ts';
import type { Registry } from './metrics/index.ts';
import type { Tasks } from './tasks.ts';

/**
 * Milliseconds between two clock reads of Node.js, which are part of the measured delay. Longer
 * blocks of the thread are detected. An interval of 10 ms would cost 5 ms of CPU per second, a
 * quarter of the load of an idle cluster node.
 */
const RESOLUTION = 50;
/**
 * Milliseconds of one measurement of delays. Reading the metrics does not reset it, so several
 * readers get the same values.
 */
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

/** `stop` ends the measurement. It does not keep the process alive. */
export function registerProcessMetrics(
  registry: Registry,
  { version, commit }: BuildInfo,
  { tasks, log }: { tasks: Tasks; log: Logger },
): { stop(): void } {
  registry.read('gauge', 'waypost_build_info', 'Always 1.', ['version', 'commit', 'node'], (emit) =>
    emit(1, version, commit ?? '', process.version),
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
  registry.read(
    'gauge',
    'nodejs_heap_space_size_bytes',
    'Heap size of the main thread, by space.',
    ['space'],
    (emit) => {
      for (const { space_name, space_size } of getHeapSpaceStatistics())
        if (space_size > 0) emit(space_size, space_name.replace(/_space$/, ''));
    },
  );
  registry.read('gauge', 'nodejs_external_memory_bytes', 'Memory outside the heap of the main thread.', [], (emit) =>
    emit(process.memoryUsage().external),
  );
  const stopLoop = eventLoopMetrics(registry, tasks, log);
  const stopGc = gcMetrics(registry);
  return {
    stop() {
      stopLoop();
      stopGc();
    },
  };
}

function eventLoopMetrics(registry: Registry, tasks: Tasks, log: Logger): () => void {
  registry.read(
    'counter',
    'nodejs_eventloop_active_seconds_total',
    'Time that the main thread spent working instead of waiting.',
    [],
    (emit) => emit(performance.eventLoopUtilization().active / 1000),
  );
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  const lastWindow = new Map([
    ['p50', 0],
    ['p99', 0],
    ['max', 0],
  ]);
  const closeWindow = (): void => {
    if (delays.count > 0) {
      const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
      lastWindow.set('p50', seconds(delays.percentile(50)));
      lastWindow.set('p99', seconds(delays.percentile(99)));
      lastWindow.set('max', seconds(delays.max));
    }
    delays.reset();
  };
  const task = tasks.add({ name: 'event-loop-window', owner: 'node', due: WINDOW, log, run: closeWindow });
  task.start();
  for (const [name, label] of [
    ['p50', 'Median'],
    ['p99', '99th percentile'],
    ['max', 'Maximum'],
  ])
    registry.read(
      'gauge',
      `nodejs_eventloop_lag_${name}_seconds`,
      `${label} delay of timers in the main thread, over the last complete window of ${WINDOW / 1000} seconds.`,
      [],
      (emit) => emit(lastWindow.get(name) ?? 0),
    );
  return () => {
    void task.stop();
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
    // A list contains all collections of one turn of the event loop.
    for (const { detail, duration } of list.getEntries() as GcEntry[])
      durations.observe(duration / 1000, GC_KINDS.get(detail.kind) ?? 'other');
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
