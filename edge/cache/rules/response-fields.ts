/** The fields of a response that say how it may be kept, read in one pass. */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { parseCacheControl } from './cache-control.ts';
import { parseCdnCacheControl } from './cdn-cache-control.ts';
import { noDirectives, type ResponseDirectives } from './directives.ts';

export interface ResponseFields {
  readonly directives: ResponseDirectives;
  /** The directives are those of CDN-Cache-Control; `expires` is undefined then (RFC 9213 section 2.2). */
  readonly isTargeted: boolean;
  /** Of fields with one value the first line; undefined without. */
  readonly expires: string | undefined;
  readonly date: string | undefined;
  readonly age: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Whether there is a Pragma: whoever sends it thinks of caches of HTTP/1.0, and as a rule of forbidding them. */
  readonly hasPragma: boolean;
  /** All lines as one; empty without. */
  readonly vary: string;
  readonly cacheTag: string;
}

type Mutable = { -readonly [K in keyof ResponseFields]: ResponseFields[K] };

export function readResponseFields(headers: FieldList): ResponseFields {
  const fields: Mutable = {
    directives: NONE,
    isTargeted: false,
    expires: undefined,
    date: undefined,
    age: undefined,
    etag: undefined,
    lastModified: undefined,
    hasPragma: false,
    vary: '',
    cacheTag: '',
  };
  let cacheControl = '';
  let cdnCacheControl = '';
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1];
    switch (headers[i]) {
      case 'cache-control':
        cacheControl = listed(cacheControl, value);
        break;
      case 'cdn-cache-control':
        cdnCacheControl = listed(cdnCacheControl, value);
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
      case 'pragma':
        fields.hasPragma = true;
        break;
      case 'vary':
        fields.vary = listed(fields.vary, value);
        break;
      case 'cache-tag':
        fields.cacheTag = listed(fields.cacheTag, value);
        break;
    }
  }
  const targeted = cdnCacheControl === '' ? undefined : parseCdnCacheControl(cdnCacheControl);
  if (targeted !== undefined) return { ...fields, directives: targeted, isTargeted: true, expires: undefined };
  if (cacheControl !== '') fields.directives = parseCacheControl(cacheControl);
  return fields;
}

/** Not to be changed. */
const NONE: ResponseDirectives = noDirectives();

const listed = (before: string, value: string): string => (before === '' ? value : `${before}, ${value}`);
