/** How what an origin sent is compressed on its way to a visitor. */

import { fieldValue } from '../cache/rules/fields.ts';
import type { BodyCompressor } from '../compress/body.ts';
import { CODINGS_AT_ONCE } from '../compress/coding.ts';
import { forbidsTransform, isCompressible } from '../compress/compressible.ts';
import { codedFields, notModifiedFields, varyingFields } from '../compress/fields.ts';
import { negotiate } from '../compress/negotiate.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';

export interface Compression {
  readonly bodies: BodyCompressor;
  /** Bytes: shorter responses are left as they are. */
  readonly least: number;
}

/** What the visitor gets: fields with the length of the body, where that is known. */
export interface Given {
  readonly fields: FieldList;
  readonly body: OriginBody;
}

/** `fields` as the visitor would get them uncoded. Throws OriginError as `body.readNow` does. */
export function codedFor(
  exchange: Exchange,
  compression: Compression | undefined,
  status: number,
  fields: FieldList,
  body: OriginBody,
): Given {
  if (compression === undefined) return { fields, body };
  if (status === 304) return { fields: notModifiedFields(fields, fieldValue(exchange.headers, 'if-none-match')), body };
  const isHead = exchange.method === 'HEAD';
  const length = isHead ? lengthOf(fields) : body.length;
  if (!isCompressible(status, fields, length, compression.least)) return { fields, body };
  const coding = negotiate(fieldValue(exchange.headers, 'accept-encoding'), CODINGS_AT_ONCE);
  if (coding === 'identity' || forbidsTransform(exchange.headers)) return { fields: varyingFields(fields), body };
  if (isHead) return { fields: codedFields(fields, coding), body };
  const coded = compression.bodies.compress(body, coding);
  if (coded.coding === 'identity') return { fields: varyingFields(fields), body: coded.body };
  const given = codedFields(fields, coded.coding);
  if (coded.body.length !== undefined) given.push('content-length', String(coded.body.length));
  return { fields: given, body: coded.body };
}

function lengthOf(fields: FieldList): number | undefined {
  const length = fieldValue(fields, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/** What is asked of an origin whose response is not for the cache: those of the codings that are common, so that one which compresses by itself still does. */
export function passedEncodings(exchange: Exchange): string {
  const accepted = fieldValue(exchange.headers, 'accept-encoding');
  if (accepted === undefined) return '';
  const takesBrotli = negotiate(accepted, ['br']) === 'br';
  if (negotiate(accepted, ['gzip']) !== 'gzip') return takesBrotli ? 'br' : '';
  return takesBrotli ? 'br, gzip' : 'gzip';
}
