/** Progress of a long import: a bar on a terminal, a line every two seconds elsewhere. */
import { Presets, SingleBar } from 'cli-progress';
import type { Output } from './io.ts';
import { print } from './io.ts';

const EVERY = 2000;

export interface Progress {
  /** Work done since the last call, in units of the total, and the records it brought. */
  add(done: number, records: number): void;
  /** The unit of work is finished: nothing more is shown. */
  stop(): void;
}

/** `unit` is what `total` counts, such as "zones". */
export function startProgress(output: Output, total: number, unit: string): Progress {
  return output.isTTY ? bar(output, total, unit) : lines(output, total, unit);
}

function bar(output: Output, total: number, unit: string): Progress {
  const format = `{bar} {value}/{total} ${unit} | {records} records | {rate} records/s | {eta_formatted} to go`;
  const single = new SingleBar({ format, stream: output, hideCursor: true }, Presets.shades_classic);
  const meter = new Meter();
  let at = 0;
  single.start(total, 0, meter.shown());
  return {
    add(done, records) {
      meter.records += records;
      at = Math.min(total, at + done);
      single.update(at, meter.shown());
    },
    stop: () => single.stop(),
  };
}

function lines(output: Output, total: number, unit: string): Progress {
  const meter = new Meter();
  let done = 0;
  const timer = setInterval(() => {
    const { records, rate } = meter.shown();
    print(output, `${done}/${total} ${unit}, ${records} records, ${rate} records/s`);
  }, EVERY);
  return {
    add(more, records) {
      // What is sent again after a lost connection counts once.
      done = Math.min(total, done + more);
      meter.records += records;
    },
    stop: () => clearInterval(timer),
  };
}

class Meter {
  records = 0;
  readonly #started = performance.now();

  shown(): { records: number; rate: number } {
    return { records: this.records, rate: perSecond(this.records, performance.now() - this.#started) };
  }
}

/** Whole records in a second. */
export function perSecond(records: number, milliseconds: number): number {
  return Math.round((records * 1000) / Math.max(1, milliseconds));
}
