/** The parts of the edge that main.ts starts. */

export { createAcme } from './certificates/acme/acme.ts';
export { startEdge } from './daemon/edge.ts';
export { openProbe } from './daemon/probe.ts';
