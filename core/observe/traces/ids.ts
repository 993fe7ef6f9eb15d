/** Random ids of traces and spans. */
import { randomFillSync } from 'node:crypto';

/** Random bytes for many ids: one system call for each id would cost more than the rest. */
const POOL = Buffer.alloc(8 * 512);
let next = POOL.length;

/** 8 random bytes, not all of them zero: all zeros are no id (W3C Trace Context section 3.2.2). */
export function newSpanId(): string {
  for (;;) {
    if (next === POOL.length) {
      randomFillSync(POOL);
      next = 0;
    }
    next += 8;
    const id = POOL.toString('hex', next - 8, next);
    if (id !== NO_ID) return id;
  }
}

/** 16 random bytes. */
export function newTraceId(): string {
  return newSpanId() + newSpanId();
}

const NO_ID = '0'.repeat(16);
