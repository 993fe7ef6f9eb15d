/** A record as a line of a zone file. */
import { TEXTS } from '../texts.ts';
import { type Fields, isWebType } from './edits.ts';

/** `ttl` 1 means automatic and is not a DNS TTL, so it is omitted. */
export const zoneLine = ({ name, type, content, ttl }: Fields): string =>
  [name, ...(ttl === 1 ? [] : [ttl]), 'IN', type, content].join('\t');

/** Two states of a record as lines, with the proxy as a comment where it differs. */
export function diffLines(
  before: Fields | null,
  after: Fields | null,
): { before: string | null; after: string | null } {
  const isSwitched =
    before !== null && after !== null && isWebType(after.type) && (before.proxied ?? null) !== (after.proxied ?? null);
  const lineOf = (fields: Fields | null): string | null =>
    fields && (isSwitched ? `${zoneLine(fields)}\t; ${proxyText(fields)}` : zoneLine(fields));
  return { before: lineOf(before), after: lineOf(after) };
}

function proxyText({ proxied = null }: Fields): string {
  const texts = TEXTS.records.proxy;
  if (proxied === null) return texts.automatic;
  return proxied ? texts.on : texts.off;
}
