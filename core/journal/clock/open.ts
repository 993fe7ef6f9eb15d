/** The guard of the clock as the configuration describes it, with its metrics. */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import { readKernelClock } from '../../os/kernel-clock.ts';
import { SteadyClock } from '../../os/steady-clock.ts';
import type { Environment } from '../../store/environment.ts';
import { decodeEntry } from '../entry-codec.ts';
import { ClockGuard, type Witnessed } from './guard.ts';
import { ClockFile } from './witness.ts';

/** Entries that are read at most: some tens of milliseconds. */
const READ_ENTRIES = 20_000;

interface OpenClockOptions {
  readonly config: Pick<Config, 'clock' | 'dataDir'>;
  readonly environment: Environment;
  readonly metrics: Registry;
  readonly log: Logger;
  /** The day of the program's commit, as YYYY-MM-DD; null: not known. */
  readonly built: string | null;
}

interface Clock {
  readonly guard: ClockGuard;
  stop(): void;
}

/** Milliseconds between looks at the clock. */
const LOOK_MS = 1000;
/** Milliseconds between writes of the clock file. */
const STORE_MS = 60_000;

export function openClock({ config, environment, metrics, log, built }: OpenClockOptions): Clock {
  const { maxOffset, settle } = config.clock;
  const file = new ClockFile(config.dataDir);
  // What an earlier clock has left is no evidence once the operator trusts any clock.
  if (maxOffset === 0) file.remove();
  const steadyClock = new SteadyClock();
  const guard = new ClockGuard({
    now: Date.now,
    steady: () => steadyClock.read(),
    kernel: readKernelClock,
    maxOffset: maxOffset * 1000,
    settle: settle * 1000,
    witnessed: latest(file.read(), lastEntries(environment, Date.now()), maxOffset * 1000),
    builtAt: built === null ? null : Date.parse(built),
    log,
  });
  clockMetrics(metrics, guard);
  let storedAt = Number.NEGATIVE_INFINITY;
  const store = (): void => {
    const { witnessed } = guard;
    if (witnessed === null) return;
    storedAt = performance.now();
    try {
      file.write(witnessed);
    } catch {
      // The journal is evidence, too.
    }
  };
  guard.onTrusted(store);
  store();
  const timer = setInterval(() => {
    guard.report();
    if (performance.now() - storedAt >= STORE_MS) store();
  }, LOOK_MS).unref();
  return {
    guard,
    stop() {
      clearInterval(timer);
      store();
      file.close();
      steadyClock.close();
    },
  };
}

/** The journal may be another one than that of the file, as after a restore. */
function latest(stored: Witnessed | null, entries: Witnessed | null, maxOffset: number): Witnessed | null {
  if (stored === null || entries === null) return stored ?? entries;
  return entries.to > stored.to + maxOffset ? entries : stored;
}

function clockMetrics(metrics: Registry, guard: ClockGuard): void {
  metrics.read(
    'gauge',
    'waypost_clock_trusted',
    'Whether the clock of this node is trusted (1), or wrong or in doubt (0), so that writes are refused.',
    [],
    (emit) => emit(guard.isTrusted ? 1 : 0),
  );
  metrics.read(
    'gauge',
    'waypost_clock_offset_seconds',
    'By how much a clock that is not trusted is ahead of the evidence; negative: behind; 0: it is trusted.',
    [],
    (emit) => emit((guard.fault?.offset ?? 0) / 1000),
  );
}

/**
 * What the journal of a store that has no clock file says about the clock.
 *
 * The time of the last entry; and of the first of the entries at the end that are after `now`, as a
 * clock that was ahead has made them. Null: there are none.
 */
export function lastEntries({ journal }: Pick<Environment, 'journal'>, now: number): Witnessed | null {
  let last: number | null = null;
  let from = 0;
  for (const { value } of journal.getRange({ reverse: true, limit: READ_ENTRIES })) {
    const { time } = decodeEntry(value as Buffer);
    if (last === null) {
      last = time;
      from = time;
    }
    if (time <= now) break;
    from = Math.min(from, time);
  }
  return last === null ? null : { from, to: last };
}
