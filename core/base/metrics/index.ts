export { HttpMetrics } from '../../../admin-api/http/metrics.ts';
export { clusterMetrics } from '../../cluster/metrics.ts';
export { JournalMetrics } from '../../journal/metrics.ts';
export { type Counted, indexMetrics, journalHeadMetrics, readinessMetrics, storeMetrics } from '../../store/metrics.ts';
export { processMetrics } from './process.ts';
export { Counter, type Emit, Histogram, Registry } from './registry.ts';
export { formatFor, OPENMETRICS, PROMETHEUS } from './text.ts';
