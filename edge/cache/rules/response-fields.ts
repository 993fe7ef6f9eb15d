/** The fields of a response that control caching, read in one pass. */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { derivedOf } from '../../http/exchange/recurring-fields.ts';
import { parseCacheControl } from './cache-control.ts';
import { addDirective, noDirectives, type ResponseDirectives } from './directives.ts';
import { parseDictionary } from './structured-dictionary.ts';

export interface ResponseFields {
  readonly directives: ResponseDirectives;
  /**
   * `directives` come from CDN-Cache-Control, and `expires` is undefined (RFC 9213 section 2.2).
   */
  readonly isTargeted: boolean;
  /** The first line of a field with one value; undefined without the field. */
  readonly expires: string | undefined;
  readonly date: string | undefined;
  readonly age: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Pragma is for HTTP/1.0 caches, and usually means that they must not store the response. */
  readonly hasPragma: boolean;
  /** Empty without the field. */
  readonly contentType: string;
  /** All lines joined; empty without the field. */
  readonly vary: string;
  readonly cacheTag: string;
}

type Mutable = { -readonly [K in keyof ResponseFields]: ResponseFields[K] };

/** What `readResponseFields` has read of a list that recurs. */
class ReadFields {
  constructor(readonly fields: ResponseFields) {}
}

export function readResponseFields(headers: FieldList): ResponseFields {
  const derived = derivedOf(headers);
  if (derived?.caching instanceof ReadFields) return derived.caching.fields;
  const fields = fieldsOf(headers);
  if (derived !== undefined) derived.caching = new ReadFields(fields);
  return fields;
}

function fieldsOf(headers: FieldList): ResponseFields {
  const fields: Mutable = {
    directives: NONE,
    isTargeted: false,
    expires: undefined,
    date: undefined,
    age: undefined,
    etag: undefined,
    lastModified: undefined,
    hasPragma: false,
    contentType: '',
    vary: '',
    cacheTag: '',
  };
  let cacheControl = '';
  let cdnCacheControl = '';
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1];
    switch (headers[i]) {
      case 'cache-control':
        cacheControl = joinLines(cacheControl, value);
        break;
      case 'cdn-cache-control':
        cdnCacheControl = joinLines(cdnCacheControl, value);
        break;
      case 'expires':
        fields.expires ??= value;
        break;
      case 'date':
        fields.date ??= value;
        break;
      case 'age':
        fields.age ??= value;
        break;
      case 'etag':
        fields.etag ??= value;
        break;
      case 'last-modified':
        fields.lastModified ??= value;
        break;
      case 'content-type':
        fields.contentType = value;
        break;
      case 'pragma':
        fields.hasPragma = true;
        break;
      case 'vary':
        fields.vary = joinLines(fields.vary, value);
        break;
      case 'cache-tag':
        fields.cacheTag = joinLines(fields.cacheTag, value);
        break;
    }
  }
  const targeted = cdnCacheControl === '' ? undefined : parseCdnCacheControl(cdnCacheControl);
  if (targeted !== undefined) return { ...fields, directives: targeted, isTargeted: true, expires: undefined };
  if (cacheControl !== '') fields.directives = parseCacheControl(cacheControl);
  return fields;
}

/** Shared by all responses without directives: never change it. */
const NONE: ResponseDirectives = noDirectives();

const joinLines = (before: string, value: string): string => (before === '' ? value : `${before}, ${value}`);

/**
 * CDN-Cache-Control (RFC 9213): directives for this kind of cache. They replace Cache-Control and
 * Expires.
 *
 * Undefined: the field is empty or malformed, and counts as absent (section 2.1).
 */
export function parseCdnCacheControl(value: string): ResponseDirectives | undefined {
  const dictionary = parseDictionary(value);
  if (dictionary === undefined || dictionary.size === 0) return undefined;
  const directives = noDirectives();
  for (const [name, member] of dictionary) {
    switch (member.type) {
      case 'true':
        addDirective(directives, name, undefined);
        break;
      case 'integer':
        addDirective(directives, name, member.value, false);
        break;
      case 'text':
        // A number written as a string is not valid as a number (section 2.1).
        addDirective(directives, name, takesSeconds(name) ? '?' : member.value);
        break;
      case 'other':
        addDirective(directives, name, '?', false);
    }
  }
  return directives;
}

function takesSeconds(name: string): boolean {
  return name === 'max-age' || name === 's-maxage' || name.startsWith('stale-');
}
