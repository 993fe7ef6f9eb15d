export { Counter, type Emit, Histogram, Registry } from './registry.ts';
export { OPENMETRICS, PROMETHEUS, selectFormat } from './text.ts';
