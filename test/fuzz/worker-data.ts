/** What the thread of a fuzzer starts with. */
export interface WorkerData {
  readonly target: string;
  readonly milliseconds: number;
  readonly seed: number;
  /** The number of the current run (4 bytes), the length of its input (4 bytes), and the input. */
  readonly current: SharedArrayBuffer;
}

export const HEAD_BYTES = 8;
