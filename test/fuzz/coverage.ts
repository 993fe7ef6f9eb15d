/** Which code of the daemon this thread runs, byte by byte of the sources, from V8. */
import { type Profiler, Session } from 'node:inspector';

/** Compiled sources of the daemon. */
const OURS = /\/dist\/(?:core|edge|admin-api)\//;

/** A function that ran: its script, where it begins, and 1 for each of its bytes that ran. */
interface RunFunction {
  readonly scriptId: string;
  readonly from: number;
  readonly ran: Uint8Array;
}

/** Reads what ran since the last call. One for a thread. */
export class Recorder {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.disconnect();
  }

  take(): RunFunction[] {
    const functions: RunFunction[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw new Error(error.message);
      for (const script of (taken as Profiler.TakePreciseCoverageReturnType).result)
        if (OURS.test(script.url)) for (const { ranges } of script.functions) addRanges(script.scriptId, ranges);
    });
    return functions;

    function addRanges(scriptId: string, ranges: readonly Profiler.CoverageRange[]): void {
      const { startOffset: from, endOffset: to, count } = ranges[0];
      if (count === 0) return;
      const ran = new Uint8Array(to - from);
      // Inner ranges follow outer ones, and override them.
      for (const range of ranges) ran.fill(range.count > 0 ? 1 : 0, range.startOffset - from, range.endOffset - from);
      functions.push({ scriptId, from, ran });
    }
  }
}

/** All code that a set of inputs has run. */
export class Covered {
  readonly #scripts = new Map<string, Uint8Array>();

  /** The number of bytes among these that have not run before. `merges`: they have, from now on. */
  countNew(functions: readonly RunFunction[], merges: boolean): number {
    let found = 0;
    for (const { scriptId, from, ran } of functions) {
      const covered = this.#coveredOf(scriptId, from + ran.length);
      for (let i = 0; i < ran.length; i++) {
        if (ran[i] === 0 || covered[from + i] === 1) continue;
        found++;
        if (merges) covered[from + i] = 1;
      }
    }
    return found;
  }

  #coveredOf(scriptId: string, end: number): Uint8Array {
    const before = this.#scripts.get(scriptId);
    if (before !== undefined && before.length >= end) return before;
    const grown = new Uint8Array(2 * end);
    if (before !== undefined) grown.set(before);
    this.#scripts.set(scriptId, grown);
    return grown;
  }
}
