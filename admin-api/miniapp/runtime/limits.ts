/** Limits of an event in an engine. */
const KB = 1024;
const MB = 1024 * KB;

export interface EngineLimits {
  /** Milliseconds of an event, with the time that the host needs for its calls. */
  readonly time: number;
  /** Milliseconds past `time` after which an engine that has not stopped by itself is ended. */
  readonly grace: number;
  /** Bytes that an event may allocate. */
  readonly memory: number;
  /** Bytes of the stack; about 1,500 calls within one another. */
  readonly stack: number;
}

export const ENGINE_LIMITS: EngineLimits = { time: 10_000, grace: 1000, memory: 32 * MB, stack: 256 * KB };

/** UTF-16 units of the background file. */
export const LONGEST_PROGRAM = 2 * MB;
/** UTF-16 units of the parameters of a call, as JSON. A value of storage has 1 MB in UTF-8. */
export const LONGEST_PARAMS = 6 * MB;
/** UTF-16 units. Longer names are of no operation. */
export const LONGEST_OPERATION = 64;
/** UTF-16 units. More of a returned value is dropped, more of the others is cut. */
export const LONGEST_VALUE = 16 * KB;
export const LONGEST_MESSAGE = 2 * KB;
export const LONGEST_STACK = 8 * KB;
/** Of an event. Further calls are `busy`. */
export const MOST_CALLS = 10_000;
/** Calls that an outcome lists. */
export const LISTED_CALLS = 100;
/** Milliseconds in which an engine has to start. */
export const START_TIME = 30_000;
