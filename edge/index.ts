/** As core/index.ts, of the edge. */

export { createAcme } from './acme/index.ts';
export { startEdge } from './daemon/edge.ts';
