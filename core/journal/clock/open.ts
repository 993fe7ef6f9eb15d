/** Opens the clock guard with the settings of the configuration, and registers its metrics. */
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import { readKernelClock, SteadyClock } from '../../os/clocks.ts';
import type { Environment } from '../../store/environment.ts';
import { decodeEntry } from '../entry-codec.ts';
import { ClockGuard, type Witnessed } from './guard.ts';
import { ClockFile } from './witness.ts';

/** Maximum number of entries to read, which takes some tens of milliseconds. */
const READ_ENTRIES = 20_000;

interface OpenClockOptions {
  readonly config: Pick<Config, 'clock' | 'dataDir'>;
  readonly environment: Environment;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** The date of the program's commit, as YYYY-MM-DD; null: unknown. */
  readonly built: string | null;
}

interface Clock {
  readonly guard: ClockGuard;
  stop(): void;
}

/** Milliseconds between checks of the clock. */
const LOOK_MS = 1000;
/** Milliseconds between writes of the clock file. */
const STORE_MS = 60_000;

export function openClock({ config, environment, metrics, tasks, log, built }: OpenClockOptions): Clock {
  const { maxOffset, settle } = config.clock;
  const file = new ClockFile(config.dataDir);
  // The operator trusts any clock, so stored times are no longer evidence.
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
      // Without the file, the times of journal entries are the evidence.
    }
  };
  guard.onTrusted(store);
  store();
  const task = tasks.add({
    name: 'clock-guard',
    owner: 'node',
    due: LOOK_MS,
    log,
    run() {
      guard.report();
      if (performance.now() - storedAt >= STORE_MS) store();
    },
  });
  task.start();
  return {
    guard,
    stop() {
      void task.stop();
      store();
      file.close();
      steadyClock.close();
    },
  };
}

/**
 * Returns the later evidence. After a restore, for example, the journal is not that of the file.
 */
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
 * Derives evidence from the times of journal entries. `to` is the time of the last entry. `from` is
 * the earliest time of the last entries after `now`, which a clock that was ahead has written;
 * without such entries, it equals `to`. Null: the journal is empty.
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
