/** Limits of an event in an engine. */
const KB = 1024;
const MB = 1024 * KB;

export interface EngineLimits {
  /** Timeout of an event in milliseconds, including its host calls. */
  readonly time: number;
  /** Milliseconds after `time` until a runaway engine is terminated. */
  readonly grace: number;
  /** Bytes that an event may allocate. */
  readonly memory: number;
  /** Bytes of the stack; enough for about 1,500 nested calls. */
  readonly stack: number;
}

export const ENGINE_LIMITS: EngineLimits = { time: 10_000, grace: 1000, memory: 32 * MB, stack: 256 * KB };

/** UTF-16 units of the background file. */
export const LONGEST_PROGRAM = 2 * MB;
/** UTF-16 units of the parameters of a call, as JSON. A value of storage has 1 MB in UTF-8. */
export const LONGEST_PARAMS = 6 * MB;
/** UTF-16 units. No operation has a longer name. */
export const LONGEST_OPERATION = 64;
/** UTF-16 units. A longer returned value is dropped; longer messages and stacks are truncated. */
export const LONGEST_VALUE = 16 * KB;
export const LONGEST_MESSAGE = 2 * KB;
export const LONGEST_STACK = 8 * KB;
/** Maximum calls of an event. Further calls fail with `busy`. */
export const MOST_CALLS = 10_000;
/** Maximum calls in the list of an outcome. */
export const LISTED_CALLS = 100;
/** Timeout of an engine's start, in milliseconds. */
export const START_TIME = 30_000;
