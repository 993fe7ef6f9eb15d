/**
 * The tests of the origin client over node's sockets; the unit tier runs them over those of the
 * thread.
 */
import { kind } from '../../../edge/origin/own-sockets.ts';

kind.isNode = true;
await import('../../../edge/origin/request.test.ts');
await import('../../../edge/origin/faults.test.ts');
await import('../../../edge/origin/pool.test.ts');
await import('../../../edge/origin/time-outs.test.ts');
await import('../../../edge/origin/malformed.test.ts');
await import('../../../edge/origin/differential.test.ts');
