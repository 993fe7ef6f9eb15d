export { processMetrics } from './process.ts';
export { Counter, type Emit, Histogram, Registry } from './registry.ts';
export { formatFor, OPENMETRICS, PROMETHEUS } from './text.ts';
