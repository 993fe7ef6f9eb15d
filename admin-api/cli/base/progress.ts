/** Shows the progress of an import: a bar on a terminal, otherwise a line every two seconds. */
import type { Output } from './io.ts';
import { print } from './io.ts';

/** Milliseconds between two lines, and between two updates of the bar. */
const LINE_INTERVAL = 2000;
const BAR_INTERVAL = 100;
/** Width of the bar in characters. */
const BAR_WIDTH = 40;

export interface Progress {
  /** Adds work, in units of the total, and the number of its records. */
  add(done: number, records: number): void;
  /**
   * Shows what the daemon does now; empty: nothing to show. With `percent`, it replaces the counts,
   * and the bar shows the percentage.
   */
  show(status: string, percent?: number): void;
  /** Writes the current state, as the timer does. */
  draw(): void;
  /** Ends the output. */
  stop(): void;
}

/** `unit`: the unit of `total`, such as "zones". `noun`: what `records` counts. */
export function startProgress(output: Output, total: number, unit: string, noun = 'records'): Progress {
  const meter = new Meter(total);
  let status = '';
  let percent: number | undefined;
  const counts = (): string => `${meter.done}/${total} ${unit}, ${meter.records} ${noun}, ${meter.rate()} ${noun}/s`;
  const line = (more = ''): string => {
    if (percent !== undefined) return `${status}, ${percent} %`;
    return `${counts()}${more}${status === '' ? '' : `; ${status}`}`;
  };
  const drawBar = (): void => {
    const part = percent === undefined ? meter.part : percent / 100;
    const text = `${barOf(part)} ${line(`, ${meter.secondsLeft()} s to go`)}`;
    output.write(`\r${text.slice(0, output.columns)}\u001b[K`);
  };
  const isTerminal = output.isTTY === true;
  const draw = isTerminal ? drawBar : () => print(output, line());
  const timer = setInterval(draw, isTerminal ? BAR_INTERVAL : LINE_INTERVAL);
  const show = (text: string, ofImport?: number): void => {
    status = text;
    percent = ofImport;
  };
  return {
    add: (done, records) => meter.add(done, records),
    show,
    draw,
    stop() {
      clearInterval(timer);
      show('');
      if (!isTerminal) return;
      drawBar();
      print(output, '');
    },
  };
}

/** `part`: 0 to 1. */
function barOf(part: number): string {
  const full = Math.round(BAR_WIDTH * part);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
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

  /** 0 to 1. */
  get part(): number {
    return this.total === 0 ? 1 : this.done / this.total;
  }

  /** A question mark before the first progress. */
  secondsLeft(): string {
    if (this.done === 0) return '?';
    const elapsed = performance.now() - this.#started;
    return ((elapsed * (this.total - this.done)) / this.done / 1000).toFixed(0);
  }
}

/** For JSON output: shows nothing. */
export const NO_PROGRESS: Progress = { add() {}, show() {}, draw() {}, stop() {} };

/** Records per second, as a whole number. */
export function perSecond(records: number, milliseconds: number): number {
  return Math.round((records * 1000) / Math.max(1, milliseconds));
}
