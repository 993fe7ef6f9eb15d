/** The report of a test process on each file, and the outcome that the runner makes of it. */

/** Starts a line for the runner in the output of a test process: a Step or a Report as JSON. */
export const MARK = '\u0001runner ';

/** The process begins a test of a suite, or has left it for what the file does outside of tests. */
export interface Step {
  readonly suite: string;
  /** Empty outside of tests. */
  readonly test: string;
}

/** A file has ended. */
export interface Report {
  readonly file: string;
  /** 1: a test failed. */
  readonly exitCode: number;
  readonly ms: number;
  /** Of the process, and of its children that have ended. */
  readonly cpuMs: number;
}

/** Outcome of one file. */
export interface Outcome {
  readonly file: string;
  /** Tests that ran. */
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
  readonly isGreen: boolean;
  readonly ms: number;
  readonly cpuMs: number;
  readonly output: string;
}

/** uvu prints it for each test that passed: most of its output. */
const DOT = '• ';

/** uvu starts the report of each failed test with it. */
const FAILURE = /^(?= {3}FAIL )/m;

/**
 * `output` of a failed file in `limit` characters: the head of the report of each failed test, or
 * the end of the output.
 */
export function shortened(output: string, limit: number): string {
  if (output.length <= limit) return output;
  const [, ...failures] = output.split(FAILURE);
  if (failures.length === 0) return `…${output.slice(-limit)}`;
  const share = Math.floor(limit / failures.length);
  return failures.map((text) => (text.length <= share ? text : `${text.slice(0, share)}…\n`)).join('');
}

/**
 * `why`: how the process ended, if it ended during the file. Such a file counts as one more failed
 * test.
 */
export function outcomeOf({ file, exitCode, ms, cpuMs }: Report, printed: string, why = ''): Outcome {
  const text = printed.replaceAll(DOT, '').trim();
  const count = (label: string): number => Number(new RegExp(`^ *${label}: *(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  // A process that was ended has printed no sums.
  const passed = why === '' ? count('Passed') : Math.max(count('Passed'), printed.split(DOT).length - 1);
  const total = Math.max(count('Total'), passed);
  // A file whose peer is not installed may print that and run no test.
  const isSkipped = total === 0 && count('Skipped') === 0 && /^skipped: /im.test(text);
  const skipped = isSkipped ? 1 : count('Skipped');
  const isGreen = why === '' && exitCode === 0 && passed === total && total + skipped > 0;
  const isBroken = !isGreen && passed === total;
  const output = why === '' ? text : `${text}\n${file}: ${why}`;
  return { file, total: total + (isBroken ? 1 : 0), passed, skipped, isGreen, ms, cpuMs, output };
}
