/**
 * Mutates the inputs of a target, and keeps those that run code that no input before has run.
 * Coverage is read once for a batch; only a batch that found something is repeated input by input.
 */
import type { Random } from '../support/random.ts';
import { type CorpusInput, loadCorpus, saveInput, seedsOf } from './corpus.ts';
import { Covered, Recorder } from './coverage.ts';
import { mutate } from './mutations.ts';
import { DEFAULT_BYTES, type Target } from './target.ts';

const BATCH = 64;
/** Runs that a minimization tries. */
const MINIMIZING_RUNS = 4000;
/** Inputs with more bytes are not kept: a shorter one reaches most code. */
const MAX_KEPT = 2048;

export interface FuzzOptions {
  readonly milliseconds: number;
  readonly random: Random;
  /** Called before each run: a run that does not return can be reported. */
  readonly onRun: (input: Buffer) => void;
}

export interface Fault {
  /** The name of the minimized input in the corpus. */
  readonly input: string;
  readonly error: string;
}

export interface FuzzResult {
  readonly runs: number;
  /** Inputs that were added to the corpus. */
  readonly added: number;
  readonly fault: Fault | null;
}

type Run = (input: Buffer) => Promise<Error | null>;

export async function fuzz(target: Target, { milliseconds, random, onRun }: FuzzOptions): Promise<FuzzResult> {
  const recorder = new Recorder();
  recorder.start();
  const run: Run = async (input) => {
    onRun(input);
    try {
      await target.run(Buffer.from(input));
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  try {
    const inputs: CorpusInput[] = [...seedsOf(target), ...loadCorpus(target.name)];
    for (const { bytes, name } of inputs) {
      const error = await run(bytes);
      if (error !== null) return { runs: 0, added: 0, fault: { input: name, error: describe(error) } };
    }
    const covered = new Covered();
    covered.countNew(recorder.take(), true);
    const found: Buffer[] = [];
    const pool = inputs.map(({ bytes }) => bytes);
    const { words = [], maxBytes = DEFAULT_BYTES } = target;
    const end = performance.now() + milliseconds;
    let runs = 0;
    while (performance.now() < end) {
      const batch = Array.from({ length: BATCH }, () =>
        mutate(random.pick(pool), { random, other: random.pick(pool), words }, maxBytes),
      );
      for (const input of batch) {
        runs++;
        const error = await run(input);
        if (error === null) continue;
        const kept = saveInput(target.name, await minimize(input, error, run), 'fault-');
        return { runs, added: 0, fault: { input: kept, error: describe(error) } };
      }
      if (covered.countNew(recorder.take(), false) === 0) continue;
      for (const input of batch) {
        await run(input);
        if (covered.countNew(recorder.take(), true) === 0) continue;
        found.push(input);
        pool.push(input);
      }
    }
    return { runs, added: await storeShortest({ target, inputs, found, run, recorder }), fault: null };
  } finally {
    recorder.stop();
  }
}

interface Found {
  readonly target: Target;
  readonly inputs: readonly CorpusInput[];
  readonly found: readonly Buffer[];
  readonly run: Run;
  readonly recorder: Recorder;
}

/**
 * Stores the shortest inputs that together run all code which the corpus does not. Returns their
 * number.
 */
async function storeShortest({ target, inputs, found, run, recorder }: Found): Promise<number> {
  const covered = new Covered();
  recorder.take();
  for (const { bytes } of inputs) await run(bytes);
  covered.countNew(recorder.take(), true);
  let added = 0;
  for (const input of [...found].sort((a, b) => a.length - b.length)) {
    if (input.length > MAX_KEPT) break;
    await run(input);
    if (covered.countNew(recorder.take(), true) === 0) continue;
    saveInput(target.name, input);
    added++;
  }
  return added;
}

/** Removes pieces of an input as long as it fails alike. */
async function minimize(input: Buffer, error: Error, run: Run): Promise<Buffer> {
  const wanted = placeOf(error);
  let best = input;
  let runs = 0;
  for (let size = best.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < best.length && runs < MINIMIZING_RUNS; ) {
      runs++;
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      const failure = await run(shorter);
      if (failure !== null && placeOf(failure) === wanted) best = shorter;
      else at += size;
    }
  return best;
}

/** Where an error was thrown. */
const placeOf = ({ stack = '' }: Error): string =>
  stack.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';

const describe = ({ stack, message }: Error): string => stack ?? message;
