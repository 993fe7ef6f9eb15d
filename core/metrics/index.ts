export { clusterMetrics } from './cluster.ts';
export { HttpMetrics } from './http.ts';
export { JournalMetrics } from './journal.ts';
export { processMetrics } from './process.ts';
export { Counter, type Emit, Histogram, Registry } from './registry.ts';
export { type Counted, indexMetrics, journalHeadMetrics, readinessMetrics, storeMetrics } from './store.ts';
export { formatFor, OPENMETRICS, PROMETHEUS } from './text.ts';
