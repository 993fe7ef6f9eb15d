/** New ids of rows. */
import { randomInt } from 'node:crypto';
import { UnavailableError } from '../../base/errors.ts';

/** Numbers that nodes can have. */
export const NODE_NUMBERS = 1024;
/** Ids of one millisecond. */
const COUNTS = 1024;
/** Hexadecimal digits of an id that are its milliseconds. */
const MILLISECONDS = 11;

let lastMillisecond = 0;
let counter = 0;
/** A node that is alone has any. */
let node: number | null = randomInt(NODE_NUMBERS);

/** Of this node among those that write to the same log, less than NODE_NUMBERS. Null: it is not known yet, and nothing can be made. */
export function setNodeNumber(number: number | null): void {
  node = number;
}

/** Those that come are greater than `last`, made before this start: the clock may have been set back since, and a row is written without a look whether its id is free. */
export function continueIds(last: string): void {
  lastMillisecond = Math.max(lastMillisecond, Number.parseInt(last.slice(0, MILLISECONDS), 16) + 1);
}

/**
 * A new id: milliseconds since 1970 (44 bits), the number of the node (10 bits), a counter (10 bits). Ids of one process rise, so rows made together lie together.
 * Throws UnavailableError `no_node_number`.
 */
export function newId(): string {
  if (node === null)
    throw new UnavailableError(
      'no_node_number',
      'Writes are unavailable: this node has no node number from etcd yet. Retry later.',
    );
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    counter = 0;
  } else if (++counter === COUNTS) {
    lastMillisecond++;
    counter = 0;
  }
  return hex(lastMillisecond, MILLISECONDS) + hex(node * COUNTS + counter, 5);
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
