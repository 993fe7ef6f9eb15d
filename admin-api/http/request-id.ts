/** Random ids of requests. */
import { randomFillSync } from 'node:crypto';

/** Random bytes for 512 ids: one system call for each id would cost more than the rest. */
const POOL = Buffer.alloc(8 * 512);
let next = POOL.length;

/** 16 hexadecimal digits. */
export function newRequestId(): string {
  if (next === POOL.length) {
    randomFillSync(POOL);
    next = 0;
  }
  next += 8;
  return POOL.toString('hex', next - 8, next);
}
