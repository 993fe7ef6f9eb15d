/** The id of an exchange. It is sent to the origin, shown on error pages and written to the log. */
import { randomBytes } from 'node:crypto';
import type { RequestId } from './origin.ts';

/**
 * Differs between threads, nodes and starts. A counter follows, because ids must be unique but not
 * secret.
 */
const PREFIX = randomBytes(6).toString('hex');
let count = 0;

/** Unique over all threads and nodes. It consists of letters, digits and a dash. */
export function requestId(): RequestId {
  count++;
  return `${PREFIX}-${count}` as RequestId;
}
