/** The time of an edge thread, and how much of it is spent. */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { ThreadTime } from './site-turns.ts';

export function threadTime(): ThreadTime {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    busy() {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, before);
      before = current;
      return utilization;
    },
    later(ms, run) {
      if (ms === 0) setImmediate(run);
      else setTimeout(run, ms);
    },
  };
}
