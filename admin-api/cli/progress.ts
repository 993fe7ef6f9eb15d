/** Progress of a long import: a bar on a terminal, a line every two seconds elsewhere. */
import type { Output } from './io.ts';
import { print } from './io.ts';

/** Milliseconds between lines, and between changes of the bar. */
const LINE_INTERVAL = 2000;
const BAR_INTERVAL = 100;
/** Characters of the bar. */
const BAR_WIDTH = 40;

export interface Progress {
  /** Work done since the last call, in units of the total, and the records it brought. */
  add(done: number, records: number): void;
  /** The unit of work is finished: nothing more is shown. */
  stop(): void;
}

/** `unit` is what `total` counts, such as "zones". */
export function startProgress(output: Output, total: number, unit: string): Progress {
  const meter = new Meter(total);
  const line = (): string => `${meter.done}/${total} ${unit}, ${meter.records} records, ${meter.rate()} records/s`;
  const drawBar = (): void => {
    const text = `${meter.bar()} ${line()}, ${meter.secondsLeft()} s to go`;
    output.write(`\r${text.slice(0, output.columns)}\u001b[K`);
  };
  const isTerminal = output.isTTY === true;
  const timer = isTerminal
    ? setInterval(drawBar, BAR_INTERVAL)
    : setInterval(() => print(output, line()), LINE_INTERVAL);
  return {
    add: (done, records) => meter.add(done, records),
    stop() {
      clearInterval(timer);
      if (!isTerminal) return;
      drawBar();
      print(output, '');
    },
  };
}

class Meter {
  done = 0;
  records = 0;
  readonly #total: number;
  readonly #started = performance.now();

  constructor(total: number) {
    this.#total = total;
  }

  add(done: number, records: number): void {
    // What is sent again after a lost connection counts once.
    this.done = Math.min(this.#total, this.done + done);
    this.records += records;
  }

  rate(): number {
    return perSecond(this.records, performance.now() - this.#started);
  }

  bar(): string {
    const full = this.#total === 0 ? BAR_WIDTH : Math.round((BAR_WIDTH * this.done) / this.#total);
    return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  }

  /** A question mark until something is done. */
  secondsLeft(): string {
    if (this.done === 0) return '?';
    const elapsed = performance.now() - this.#started;
    return ((elapsed * (this.#total - this.done)) / this.done / 1000).toFixed(0);
  }
}

/** Whole records in a second. */
export function perSecond(records: number, milliseconds: number): number {
  return Math.round((records * 1000) / Math.max(1, milliseconds));
}
