/** Shows the progress of an import: a bar on a terminal, otherwise a line every two seconds. */
import type { Output } from './io.ts';
import { print } from './io.ts';

/** Milliseconds between two lines, and between two updates of the bar. */
const LINE_INTERVAL = 2000;
const BAR_INTERVAL = 100;
/** Width of the bar in characters. */
const BAR_WIDTH = 40;

interface Progress {
  /** Adds work, in units of the total, and the number of its records. */
  add(done: number, records: number): void;
  /** Ends the output. */
  stop(): void;
}

/** `unit`: the unit of `total`, such as "zones". `noun`: what `records` counts. */
export function startProgress(output: Output, total: number, unit: string, noun = 'records'): Progress {
  const meter = new Meter(total);
  const line = (): string => `${meter.done}/${total} ${unit}, ${meter.records} ${noun}, ${meter.rate()} ${noun}/s`;
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
  readonly #started = performance.now();

  constructor(private readonly total: number) {}

  add(done: number, records: number): void {
    // Limited to the total, because a retry after a lost connection counts bytes twice.
    this.done = Math.min(this.total, this.done + done);
    this.records += records;
  }

  rate(): number {
    return perSecond(this.records, performance.now() - this.#started);
  }

  bar(): string {
    const full = this.total === 0 ? BAR_WIDTH : Math.round((BAR_WIDTH * this.done) / this.total);
    return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  }

  /** A question mark before the first progress. */
  secondsLeft(): string {
    if (this.done === 0) return '?';
    const elapsed = performance.now() - this.#started;
    return ((elapsed * (this.total - this.done)) / this.done / 1000).toFixed(0);
  }
}

/** Records per second, as a whole number. */
export function perSecond(records: number, milliseconds: number): number {
  return Math.round((records * 1000) / Math.max(1, milliseconds));
}
