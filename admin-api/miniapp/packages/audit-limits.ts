/**
 * Limits of an audit, in the daemon and in `waypost pkg lint`. A package that exceeds them needs a
 * review.
 */
import type { ResourceLimits } from 'node:worker_threads';

const MB = 1024 * 1024;
/**
 * Megabytes of the young generation, twice V8's default. Syntax trees live long enough to be copied
 * repeatedly, which would take a third of the CPU time of an audit.
 */
const YOUNG_GENERATION_MB = 96;
/**
 * Megabytes of the stack. With the default of 1 MB, a deeply nested script can end the process: V8
 * reports a fatal error if the stack overflows while it compiles a regular expression.
 */
const STACK_MB = 4;

/** Limits of a thread. `memory`: bytes of its heap. */
export const auditThreadLimits = (memory: number): ResourceLimits => ({
  maxOldGenerationSizeMb: Math.floor(memory / MB),
  maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
  stackSizeMb: STACK_MB,
});

/** Defaults of packages.audit_timeout (milliseconds) and packages.audit_memory (bytes). */
export const DEFAULT_AUDIT_TIMEOUT = 60_000;
export const DEFAULT_AUDIT_MEMORY = 512 * MB;
