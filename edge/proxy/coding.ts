/** Compresses responses of origins for visitors. */

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
  /** Shorter responses are not compressed. */
  readonly minBytes: number;
}

/**
 * The fields and the body for the visitor. The fields include the length of the body if it is
 * known.
 */
interface CodedResponse {
  readonly fields: FieldList;
  readonly body: OriginBody;
}

/**
 * Compresses a response if that is worthwhile. `fields` describe the uncompressed response. Throws
 * OriginError, as `body.readNow` does.
 */
export function compressResponse(
  exchange: Exchange,
  site: string,
  compression: Compression | undefined,
  status: number,
  fields: FieldList,
  body: OriginBody,
): CodedResponse {
  if (compression === undefined) return { fields, body };
  if (status === 304) return { fields: notModifiedFields(fields, fieldValue(exchange.headers, 'if-none-match')), body };
  const isHead = exchange.method === 'HEAD';
  const length = isHead ? lengthOf(fields) : body.length;
  if (!isCompressible(status, fields, length, compression.minBytes)) return { fields, body };
  const coding = negotiate(fieldValue(exchange.headers, 'accept-encoding'), CODINGS_AT_ONCE);
  if (coding === 'identity' || forbidsTransform(exchange.headers)) return { fields: varyingFields(fields), body };
  if (isHead) return { fields: codedFields(fields, coding), body };
  const coded = compression.bodies.compress(body, coding, site);
  if (coded.coding === 'identity') return { fields: varyingFields(fields), body: coded.body };
  const codedResponseFields = codedFields(fields, coded.coding);
  if (coded.body.length !== undefined) codedResponseFields.push('content-length', String(coded.body.length));
  return { fields: codedResponseFields, body: coded.body };
}

function lengthOf(fields: FieldList): number | undefined {
  const length = fieldValue(fields, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/**
 * The value of Accept-Encoding for an origin request whose response is not cached: gzip and br, if
 * the visitor accepts them. The origin can then compress the response itself.
 */
export function encodingsForOrigin(exchange: Exchange): string {
  const accepted = fieldValue(exchange.headers, 'accept-encoding');
  if (accepted === undefined) return '';
  const acceptsBrotli = negotiate(accepted, ['br']) === 'br';
  if (negotiate(accepted, ['gzip']) !== 'gzip') return acceptsBrotli ? 'br' : '';
  return acceptsBrotli ? 'br, gzip' : 'gzip';
}
