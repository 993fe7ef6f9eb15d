/**
 * Decides which responses the edge compresses.
 *
 * If a response contains a secret and repeats client input, its compressed length reveals guesses
 * of the secret. An attacker who can trigger many requests can use this (BREACH). nginx (which
 * warns of it), Cloudflare and Caddy compress responses with cookies nevertheless, since most
 * responses have some. So does the edge. Only the origin can tell what is secret. It can mask the
 * secret in each response, or send `Cache-Control: no-transform`. `private` limits where a response
 * may be stored, not whether it may be compressed.
 */
import { RecentMap } from '../../core/base/recent-map.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

/**
 * Types that compress like text. Compressed types (WOFF, most images, archives) are excluded. So is
 * text/event-stream: an event has some hundred bytes and its own packet, needs two thread switches,
 * and the stream would hold a compressor for hours. nginx and Cloudflare exclude it, too.
 */
const TYPES: ReadonlySet<string> = new Set([
  'application/ecmascript',
  'application/font-sfnt',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/json5',
  'application/jsonl',
  'application/ndjson',
  'application/opentype',
  'application/protobuf',
  'application/rtf',
  'application/sql',
  'application/toml',
  'application/truetype',
  'application/vnd.apple.mpegurl',
  'application/vnd.google.protobuf',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'application/x-font-opentype',
  'application/x-font-otf',
  'application/x-font-truetype',
  'application/x-font-ttf',
  'application/x-javascript',
  'application/x-json',
  'application/x-mpegurl',
  'application/x-ndjson',
  'application/x-opentype',
  'application/x-otf',
  'application/x-perl',
  'application/x-protobuf',
  'application/x-sh',
  'application/x-subrip',
  'application/x-truetype',
  'application/x-ttf',
  'application/x-yaml',
  'application/xml',
  'application/xml-dtd',
  'application/yaml',
  'font/collection',
  'font/otf',
  'font/sfnt',
  'font/ttf',
  'image/bmp',
  'image/vnd.microsoft.icon',
  'image/x-icon',
  'image/x-ms-bmp',
  'model/obj',
  'model/stl',
]);
/** Structured syntaxes that are text (RFC 6838 section 4.2.8). */
const SUFFIX = /\+(?:json|xml|yaml|json-seq)$/;

/** Results by field value: origins send only a few different values. */
const decided = new RecentMap<boolean>(512);
const MAX_CACHED_LENGTH = 128;

/** Whether content of this type becomes notably shorter. */
export function isCompressibleType(contentType: string): boolean {
  const remembered = decided.get(contentType);
  if (remembered !== undefined) return remembered;
  const semicolon = contentType.indexOf(';');
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  const isText = isTextual(type);
  if (contentType.length <= MAX_CACHED_LENGTH) decided.set(contentType, isText);
  return isText;
}

/** gRPC and gRPC-Web compress their own messages, which must not be delayed. */
function isTextual(type: string): boolean {
  if (type.startsWith('text/')) return type !== 'text/event-stream';
  return TYPES.has(type) || (SUFFIX.test(type) && !type.startsWith('application/grpc'));
}

/**
 * Statuses without content (RFC 9110 sections 15.3.5, 15.3.6, 15.4.5), or with a part of it (206,
 * and 226 of RFC 3229). Parts of different codings must not be combined.
 */
const NEVER: ReadonlySet<number> = new Set([204, 205, 206, 226, 304]);

/**
 * Whether a response may be compressed and is worth it. If so, it varies by Accept-Encoding,
 * compressed or not. HEAD and GET get the same result, and so the same fields (RFC 9110 section
 * 9.3.2). `length`: bytes of the content, undefined if unknown. `least`: `edge.compress_min_bytes`.
 * Not for tunnels.
 */
export function isCompressible(status: number, headers: FieldList, length: number | undefined, least: number): boolean {
  if (status < 200 || NEVER.has(status) || (length !== undefined && length < least)) return false;
  let isType = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (name === 'content-type') {
      if (!isCompressibleType(headers[i + 1])) return false;
      isType = true;
    } else if (name === 'content-encoding' || name === 'content-range') return false;
    else if (name === 'cache-control' && NO_TRANSFORM.test(headers[i + 1])) return false;
  }
  return isType;
}

const NO_TRANSFORM = /(?:^|,)[ \t]*no-transform[ \t]*(?:,|=|$)/i;

/**
 * Whether a message forbids transformations of its content (RFC 9110 section 7.7). In a request,
 * this applies to the response (RFC 9111 sections 5.2.1.6 and 5.2.2.6).
 */
export function forbidsTransform(headers: FieldList): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'cache-control' && NO_TRANSFORM.test(headers[i + 1])) return true;
  return false;
}
