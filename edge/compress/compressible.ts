/**
 * Which responses the edge compresses.
 *
 * A response that says a secret and repeats what the visitor sent tells, by its compressed length,
 * who can make the visitor ask often how close a guess of the secret is (BREACH). nginx (which
 * warns of it), Cloudflare and Caddy compress without regard to cookies all the same, as nearly all
 * that people wait for has some. So does the edge: a mask that changes with each response, or
 * `Cache-Control: no-transform`, is for the origin to set, which alone knows what is secret.
 * `private` says who may keep a response, not that it may not be compressed.
 */
import type { FieldList } from '../http/exchange/field-list.ts';

/**
 * Those that are text or as good as text. Not in it: what is compressed already (WOFF, most
 * pictures, archives), and text/event-stream: an event is a hundred bytes that share no packet,
 * costs two ways to another thread, and its stream would hold a compressor for hours; nginx and
 * Cloudflare leave it, too.
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

/** Origins send a handful of values, so what one is is kept by its text. */
const decided = new Map<string, boolean>();
const MOST_KNOWN = 512;
const LONGEST_KNOWN = 128;

/** Whether content of this Content-Type gets notably shorter. */
export function isCompressibleType(contentType: string): boolean {
  const remembered = decided.get(contentType);
  if (remembered !== undefined) return remembered;
  const semicolon = contentType.indexOf(';');
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  const isText = isTextual(type);
  if (contentType.length <= LONGEST_KNOWN) {
    if (decided.size >= MOST_KNOWN) decided.clear();
    decided.set(contentType, isText);
  }
  return isText;
}

/** Messages of gRPC and gRPC-Web have a coding of their own, and must not wait for another. */
function isTextual(type: string): boolean {
  if (type.startsWith('text/')) return type !== 'text/event-stream';
  return TYPES.has(type) || (SUFFIX.test(type) && !type.startsWith('application/grpc'));
}

/**
 * With them there is no content (RFC 9110 sections 15.3.5, 15.3.6, 15.4.5), or it is a part of
 * another (206, and 226 of RFC 3229): parts of different codings must not be put together.
 */
const NEVER: ReadonlySet<number> = new Set([204, 205, 206, 226, 304]);

/**
 * Whether the edge may code a response and it is worth it; then it varies by Accept-Encoding, be it
 * coded or not. The same for HEAD as for GET, so both have the same fields (RFC 9110 section
 * 9.3.2). `length`: bytes of the content, undefined when it is not known. `least`: of those,
 * `edge.compress_min_bytes`. Not to be asked of tunnels.
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
 * Whether a message says that its content is to be left as it is (RFC 9110 section 7.7): a request
 * says so of its response (RFC 9111 sections 5.2.1.6 and 5.2.2.6).
 */
export function forbidsTransform(headers: FieldList): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'cache-control' && NO_TRANSFORM.test(headers[i + 1])) return true;
  return false;
}
