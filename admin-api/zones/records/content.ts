/** Parses the type, content and TTL of a record in the API. */
import { InvalidError } from '../../../core/base/errors.ts';
import { isDataType, parseType } from '../../../core/dns/wire/mnemonics.ts';
import type { Name } from '../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';

export const MIN_TTL = 30;
export const MAX_TTL = 604_800;
export const DEFAULT_TTL = 300;
/** The TTL value that means the default TTL. */
const AUTOMATIC_TTL = 1;

/** Throws InvalidError. */
export function parseRecordType(text: string): number {
  const type = parseType(text.trim());
  if (type !== undefined && isDataType(type)) return type;
  throw new InvalidError(
    'invalid_type',
    `"${text.slice(0, 40)}" is not a record type; use one such as ${COMMON_TYPES}, or TYPEn with its number.`,
    { pointer: '/type' },
  );
}

/** The registry has about 80 types with a content format. */
const COMMON_TYPES = 'A, AAAA, ALIAS, CAA, CNAME, HTTPS, MX, NS, SRV, TXT';

/** In seconds. Throws InvalidError. */
export function checkTtl(ttl: number): number {
  if (ttl === AUTOMATIC_TTL) return DEFAULT_TTL;
  if (ttl >= MIN_TTL && ttl <= MAX_TTL) return ttl;
  throw new InvalidError(
    'invalid_ttl',
    `"ttl" must be ${MIN_TTL} to ${MAX_TTL} seconds, or ${AUTOMATIC_TTL} for the default of ${DEFAULT_TTL}.`,
    { pointer: '/ttl' },
  );
}

/** Number of fields in a content that includes the priority. */
const FIELD_COUNTS: ReadonlyMap<number, number> = new Map([
  [TYPE.MX, 2],
  [TYPE.SRV, 4],
]);

/**
 * Converts a content that a person typed to wire format. `priority` may be a separate field of the
 * record; it is ignored for types other than MX and SRV, because some clients send it with every
 * type. Throws InvalidError.
 */
export function parseContent(type: number, content: string, priority: number | undefined, apex: Name): Uint8Array {
  const fields = FIELD_COUNTS.get(type);
  const text = fields === undefined || priority === undefined ? content : withPriority(content, priority, fields);
  return parseRdata(type, text, apex, true);
}

function withPriority(text: string, priority: number, fields: number): string {
  const parts = text.trim().split(/\s+/);
  if (parts.length === fields - 1) return `${priority} ${text}`;
  if (parts.length === fields && parts[0] !== String(priority))
    throw new InvalidError('invalid_content', '"priority" and the priority in "content" differ; omit one of them.', {
      pointer: '/priority',
    });
  return text;
}
