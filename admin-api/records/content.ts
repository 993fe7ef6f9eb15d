/** Type, content and TTL as the API takes them. */
import { InvalidError } from '../../core/base/errors.ts';
import { isDataType, parseType, typeName } from '../../core/wire/mnemonics.ts';
import type { Name } from '../../core/wire/name.ts';
import { parseRdata, RDATA_TABLE } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';

export const MIN_TTL = 30;
export const LONGEST_TTL = 604_800;
export const DEFAULT_TTL = 300;
/** What clients send for "you choose". */
const AUTOMATIC_TTL = 1;

/** Throws InvalidError. */
export function parseRecordType(text: string): number {
  const type = parseType(text.trim());
  if (type !== undefined && isDataType(type)) return type;
  throw new InvalidError(
    'invalid_type',
    `"${text.slice(0, 40)}" is not a supported record type; use ${supportedTypes()} or TYPEn.`,
    { pointer: '/type' },
  );
}

/** Types whose content has a form of its own; the SOA is the service's. */
function supportedTypes(): string {
  const types = [...RDATA_TABLE.keys()].filter((type) => type !== TYPE.SOA);
  return types.map(typeName).join(', ');
}

/** Seconds. Throws InvalidError. */
export function checkTtl(ttl: number): number {
  if (ttl === AUTOMATIC_TTL) return DEFAULT_TTL;
  if (ttl >= MIN_TTL && ttl <= LONGEST_TTL) return ttl;
  throw new InvalidError(
    'invalid_ttl',
    `"ttl" must be ${MIN_TTL} to ${LONGEST_TTL} seconds, or ${AUTOMATIC_TTL} for the default of ${DEFAULT_TTL}.`,
    { pointer: '/ttl' },
  );
}

/** Fields of the content when it begins with the priority. */
const FIELDS: ReadonlyMap<number, number> = new Map([
  [TYPE.MX, 2],
  [TYPE.SRV, 4],
]);

/**
 * Wire form of a content, with the `priority` that may stand beside it. For types other than MX and SRV it says nothing: clients send
 * it with every type. Throws InvalidError.
 */
export function parseContent(type: number, content: string, priority: number | undefined, apex: Name): Uint8Array {
  const fields = FIELDS.get(type);
  const text = fields === undefined || priority === undefined ? content : withPriority(content, priority, fields);
  return parseRdata(type, text, apex);
}

function withPriority(text: string, priority: number, fields: number): string {
  const given = text.trim().split(/\s+/);
  if (given.length === fields - 1) return `${priority} ${text}`;
  if (given.length === fields && given[0] !== String(priority))
    throw new InvalidError('invalid_content', '"priority" and the priority in "content" differ; omit one of them.', {
      pointer: '/priority',
    });
  return text;
}
