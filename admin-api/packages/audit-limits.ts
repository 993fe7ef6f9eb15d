/** What an audit may take, in the daemon and in `waypost pkg lint` alike: a package that asks for more is one for a person to look at. */
import type { ResourceLimits } from 'node:worker_threads';

const MB = 1024 * 1024;
/** Megabytes for what is new in a heap, twice what V8 takes by itself: trees of scripts live for long enough to be copied over and over, a third of an audit's CPU. */
const YOUNG = 96;
/**
 * Megabytes. With as little as a program has by itself (1 MB) a script that is nested deeply enough ends the process: V8 takes a stack that is used up while it compiles a regular
 * expression for a fatal error.
 */
const STACK = 4;

/** Of a thread. `memory`: bytes of its heap. */
export const auditThreadLimits = (memory: number): ResourceLimits => ({
  maxOldGenerationSizeMb: Math.floor(memory / MB),
  maxYoungGenerationSizeMb: YOUNG,
  stackSizeMb: STACK,
});

/** As the settings packages.audit_timeout and packages.audit_memory are by default: milliseconds, bytes. */
export const DEFAULT_AUDIT_TIMEOUT = 60_000;
export const DEFAULT_AUDIT_MEMORY = 512 * MB;
