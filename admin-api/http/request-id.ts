import { randomFillSync } from 'node:crypto';

const POOL = Buffer.alloc(8 * 512);
let next = POOL.length;

/** 16 hexadecimal digits. Random numbers are fetched for many at a time: a call for each costs more than the rest. */
export function newRequestId(): string {
  if (next === POOL.length) {
    randomFillSync(POOL);
    next = 0;
  }
  next += 8;
  return POOL.toString('hex', next - 8, next);
}
