/** The name of an exchange: sent to the origin, shown on error pages, and found in the log. */
import { randomBytes } from 'node:crypto';

/** Tells threads, nodes and starts apart; what follows is a count, as names need be unique and not secret. */
const PREFIX = randomBytes(6).toString('hex');
let count = 0;

/** Unique over all threads and nodes; letters, digits and a dash. */
export function requestId(): string {
  count++;
  return `${PREFIX}-${count.toString(36)}`;
}
