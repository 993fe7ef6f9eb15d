/** A record as a line of a zone file. */
import type { Fields } from './edits.ts';

/** `ttl` 1 means automatic and is not a DNS TTL, so it is omitted. */
export const zoneLine = ({ name, type, content, ttl }: Fields): string =>
  [name, ...(ttl === 1 ? [] : [ttl]), 'IN', type, content].join('\t');
