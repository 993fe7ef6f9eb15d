/** A record as a line of a zone file. */
import type { Fields } from './edits.ts';

/** `ttl` 1 is not a TTL of DNS, so it is left out. */
export const zoneLine = ({ name, type, content, ttl }: Fields): string =>
  [name, ...(ttl === 1 ? [] : [ttl]), 'IN', type, content].join('\t');
