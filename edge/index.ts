/** As core/index.ts, of the edge. */

export { Seldom } from '../core/base/log/throttle.ts';
export { createAcme } from './acme/index.ts';
export { startEdge } from './daemon/edge.ts';
