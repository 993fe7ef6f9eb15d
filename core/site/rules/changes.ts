/**
 * Changes that matched rules make to a request and its response. The changes of each combination of
 * rules are computed once and cached, so that a request allocates nothing for them.
 */
import { createHash } from 'node:crypto';
import { NO_UPLOAD_TERMS, type UploadTerms } from '../uploads.ts';
import type { CacheAction, Rule } from './document.ts';
import type { Fields } from './facts.ts';
import { firstCookie, firstHeader, NamePattern } from './fields.ts';
import { parseTemplate, type TemplateRequest, TextTemplate } from './text-template.ts';

export interface HeaderChange {
  /** In lower case. */
  readonly name: string;
  /** Null: the header is removed. */
  readonly value: string | null;
  /**
   * For headers that only the edge may set: other spellings of the name are removed, too, which
   * CGI, WSGI and PHP read as the same name. The result of `usualSpelling`.
   */
  readonly spelling?: string;
  /** Of a value with placeholders. */
  readonly template?: TextTemplate;
  /** The value in the key of the cache, if it is another one. */
  readonly keyed?: string;
}

/** CGI (RFC 3875 section 4.1.18) does not distinguish characters other than letters and digits. */
const usualSpelling = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

/** Whether a field of a visitor must not reach the origin because of the change. */
export const replaces = ({ name, spelling }: HeaderChange, field: string): boolean =>
  name === field || (spelling !== undefined && name.length === field.length && spelling === usualSpelling(field));

/** Headers that tell the origin who the visitor is; null: the header is removed. */
export type Identity = readonly (readonly [name: string, value: string | null])[];

/** Longest value with placeholders. A longer one is not sent: a path can be repeated in it. */
const MAX_EXPANDED = 8192;

/** Cached combinations of a document. Others are computed for each request. */
const MAX_COMBINATIONS = 1000;

interface Shared {
  combinations: number;
}

/** Cached combinations on top of the identity of one visitor. */
const COMBINATIONS_OF_IDENTITY = 8;

interface Values {
  readonly requestHeaders: readonly HeaderChange[];
  readonly responseHeaders: readonly HeaderChange[];
  readonly rewrite: TextTemplate | null;
  readonly cache: CacheRule | null;
  readonly bypassesCache: boolean;
  readonly isUncompressed: boolean;
  readonly uploads: UploadTerms;
  /** The name of a pool. Null: the origin of the site. */
  readonly origin: string | null;
  /** The id of the request, if a header has it; else empty. */
  readonly requestId?: string;
}

export class Changes implements Values {
  readonly requestHeaders: readonly HeaderChange[];
  readonly responseHeaders: readonly HeaderChange[];
  readonly rewrite: TextTemplate | null;
  readonly cache: CacheRule | null;
  readonly bypassesCache: boolean;
  readonly isUncompressed: boolean;
  readonly uploads: UploadTerms;
  readonly origin: string | null;
  readonly requestId: string;
  /** Whether nothing is changed. */
  readonly isNone: boolean;
  /** Whether `resolve` is needed. */
  readonly hasPlaceholders: boolean;
  #keySuffix: string | null = null;
  /** The last result of `resolve`. */
  #resolved: Changes | null = null;
  /** Cached results of `after`, by rule number. */
  readonly #next: Changes[] = [];

  constructor(
    values: Values = NO_VALUES,
    private readonly shared: Shared = { combinations: 0 },
  ) {
    this.isNone = values === NO_VALUES;
    this.requestHeaders = values.requestHeaders;
    this.responseHeaders = values.responseHeaders;
    this.rewrite = values.rewrite;
    this.cache = values.cache;
    this.bypassesCache = values.bypassesCache;
    this.isUncompressed = values.isUncompressed;
    this.uploads = values.uploads;
    this.origin = values.origin;
    this.requestId = values.requestId ?? '';
    this.hasPlaceholders = this.requestHeaders.some(hasTemplate) || this.responseHeaders.some(hasTemplate);
  }

  /**
   * These changes with the values of their placeholders. Returns the same object as the last time
   * if the values are the same, so that prepared answers of the cache are found again.
   */
  resolve(request: TemplateRequest): Changes {
    const requestHeaders = this.requestHeaders.map((header) => expandHeader(header, request));
    const responseHeaders = this.responseHeaders.map((header) => expandHeader(header, request));
    const last = this.#resolved;
    if (
      last !== null &&
      haveSameValues(last.requestHeaders, requestHeaders) &&
      haveSameValues(last.responseHeaders, responseHeaders)
    )
      return last;
    const hasId = this.requestHeaders.some(hasRequestId) || this.responseHeaders.some(hasRequestId);
    const requestId = hasId ? (request.visitor?.requestId ?? '') : '';
    this.#resolved = new Changes({ ...this.#values(), requestHeaders, responseHeaders, requestId }, this.shared);
    return this.#resolved;
  }

  /** Changes that remove headers which only the edge may set. */
  static withoutClaims(names: readonly string[]): Changes {
    if (names.length === 0) return new Changes();
    return new Changes({ ...NO_VALUES, requestHeaders: names.map((name) => identityHeader(name, null)) });
  }

  /** These changes and the identity of a visitor. */
  withIdentity(identity: Identity): Changes {
    let { requestHeaders } = this;
    for (const [name, value] of identity) requestHeaders = withHeader(requestHeaders, identityHeader(name, value));
    const shared = { combinations: MAX_COMBINATIONS - COMBINATIONS_OF_IDENTITY };
    return new Changes({ ...this.#values(), requestHeaders }, shared);
  }

  /** These changes followed by the change of rule `number`. */
  after(number: number, change: Change): Changes {
    const made = this.#next[number];
    if (made !== undefined) return made;
    const changes = new Changes({ ...this.#values(), ...change(this) }, this.shared);
    if (this.shared.combinations++ < MAX_COMBINATIONS) this.#next[number] = changes;
    return changes;
  }

  /** The fields of a response as the visitor receives them. */
  changeResponse(fields: string[]): string[] {
    const changed = changeFields(fields, this.responseHeaders);
    // The TTL of a rule applies to the edge only (edge/cache/rules/freshness.ts).
    const { cache } = this;
    const isTargeted = cache !== null && (cache.ttl >= 0 || cache.maxTtl >= 0);
    return isTargeted ? changeFields(changed, NO_TARGETED_LIFETIME) : changed;
  }

  #values(): Values {
    const { requestHeaders, responseHeaders, rewrite, cache, bypassesCache, isUncompressed, uploads, origin } = this;
    return { requestHeaders, responseHeaders, rewrite, cache, bypassesCache, isUncompressed, uploads, origin };
  }

  /** Path and query that the origin receives. */
  targetOf(scheme: string, host: string, target: string): string {
    if (this.rewrite === null || !target.startsWith('/')) return target;
    const path = this.rewrite.expand({ scheme, host, target });
    const query = target.indexOf('?');
    return this.rewrite.hasQuery || query < 0 ? path : path + target.slice(query);
  }

  /** The part of the cache key for the path and query. Each further value follows a line feed. */
  keyPathOf(target: string, headers: Fields): string {
    const parts = this.cache?.parts;
    this.#keySuffix ??= this.#hashForOrigin();
    return parts == null
      ? target + this.#keySuffix
      : `${parts.pathOf(target)}${this.#keySuffix}${parts.valuesOf(headers)}`;
  }

  /** Of the changes to what the origin receives. Empty: there is none. */
  #hashForOrigin(): string {
    const { requestHeaders, origin } = this;
    if (requestHeaders.length === 0 && origin === null) return '';
    const headers = requestHeaders.map(({ name, value, keyed = value, spelling }) => ({
      name,
      value: keyed,
      spelling,
    }));
    const hash = createHash('sha256').update(JSON.stringify([headers, origin]));
    return `\n${hash.digest('base64').slice(0, 12)}`;
  }
}

const hasTemplate = ({ template }: HeaderChange): boolean => template !== undefined;
const hasRequestId = ({ template }: HeaderChange): boolean => template?.usesRequestId === true;

const haveSameValues = (some: readonly HeaderChange[], others: readonly HeaderChange[]): boolean =>
  some.every(({ value }, i) => value === others[i].value);

/** A header whose value is empty or too long is removed. */
function expandHeader(header: HeaderChange, request: TemplateRequest): HeaderChange {
  const { name, template, spelling } = header;
  if (template === undefined) return header;
  const expanded = template.expand(request).trim();
  const isSent = expanded !== '' && expanded.length <= MAX_EXPANDED;
  return { name, value: isSent ? expanded : null, keyed: template.expand(request, true), spelling };
}

const NO_TARGETED_LIFETIME: readonly HeaderChange[] = [{ name: 'cdn-cache-control', value: null }];

const NO_VALUES: Values = {
  requestHeaders: [],
  responseHeaders: [],
  rewrite: null,
  cache: null,
  bypassesCache: false,
  isUncompressed: false,
  uploads: NO_UPLOAD_TERMS,
  origin: null,
};

/** The changed members. */
export type Change = (before: Values) => Partial<Values>;

/** Undefined: the action decides about the request and changes nothing. */
export function changeOf({ action, match }: Pick<Rule, 'action' | 'match'>): Change | undefined {
  switch (action.type) {
    case 'rewrite': {
      const rewrite = new TextTemplate(action.path, match?.path);
      return () => ({ rewrite });
    }
    case 'set_request_header':
    case 'remove_request_header': {
      const header = headerChange(action, match);
      return ({ requestHeaders }) => ({ requestHeaders: withHeader(requestHeaders, header) });
    }
    case 'set_response_header':
    case 'remove_response_header': {
      const header = headerChange(action, match);
      return ({ responseHeaders }) => ({ responseHeaders: withHeader(responseHeaders, header) });
    }
    case 'cache': {
      const cache = new CacheRule(action);
      return () => ({ cache, bypassesCache: false });
    }
    case 'bypass_cache':
      return () => ({ cache: null, bypassesCache: true });
    case 'no_compression':
      return () => ({ isUncompressed: true });
    case 'limit_upload': {
      const { size: maxSize } = action;
      return ({ uploads: { buffer } }) => ({ uploads: { maxSize, buffer } });
    }
    case 'buffer_upload': {
      const { size: buffer } = action;
      return ({ uploads: { maxSize } }) => ({ uploads: { maxSize, buffer } });
    }
    case 'origin': {
      const { name } = action;
      return () => ({ origin: name });
    }
    default:
      return undefined;
  }
}

function headerChange(
  { name, value }: { readonly name: string; readonly value?: string },
  match: Rule['match'],
): HeaderChange {
  const literal = { name: name.toLowerCase(), value: value ?? null };
  if (value === undefined) return literal;
  const parts = parseTemplate(value, 'header');
  // Documents that are older than placeholders may have what looks like an unknown one.
  if (typeof parts === 'string' || parts.length === 1) return literal;
  return { ...literal, template: new TextTemplate(value, match?.path, 'header') };
}

const identityHeader = (name: string, value: string | null): HeaderChange => ({
  name: name.toLowerCase(),
  value,
  spelling: usualSpelling(name),
});

/** A header that only the edge may set stays one. */
function withHeader(before: readonly HeaderChange[], header: HeaderChange): readonly HeaderChange[] {
  const replaced = before.find(({ name }) => name === header.name);
  const spelling = header.spelling ?? replaced?.spelling;
  const after = spelling === undefined ? header : { ...header, spelling };
  return [...before.filter((change) => change !== replaced), after];
}

/** The fields after the changes. */
export function changeFields<List extends Fields>(fields: List, changes: readonly HeaderChange[]): List | string[] {
  if (changes.length === 0) return fields;
  const changed: string[] = [];
  for (let i = 0; i < fields.length; i += 2)
    if (!changes.some((change) => replaces(change, fields[i]))) changed.push(fields[i], fields[i + 1]);
  for (const { name, value } of changes) if (value !== null) changed.push(name, value);
  return changed;
}

export class CacheRule {
  /** Seconds; -1: the TTL comes from the response of the origin. */
  readonly ttl: number;
  readonly overrides: boolean;
  /** Seconds; -1: no maximum for the TTL of the origin. */
  readonly maxTtl: number;
  readonly parts: KeyParts | null;

  constructor({ ttl, override, max_ttl, key }: CacheAction) {
    this.ttl = ttl ?? -1;
    this.overrides = override === true;
    this.maxTtl = max_ttl ?? -1;
    this.parts = key === undefined ? null : new KeyParts(key);
  }
}

class KeyParts {
  readonly #only: readonly NamePattern[] | null;
  readonly #without: readonly NamePattern[];
  readonly #headers: readonly string[];
  readonly #cookies: readonly string[];

  constructor({ query_only, query_without, headers, cookies }: NonNullable<CacheAction['key']>) {
    this.#only = query_only?.map((name) => new NamePattern(name)) ?? null;
    this.#without = query_without?.map((name) => new NamePattern(name)) ?? [];
    this.#headers = headers?.map((name) => name.toLowerCase()) ?? [];
    this.#cookies = cookies ?? [];
  }

  pathOf(target: string): string {
    const query = target.indexOf('?');
    if (query < 0 || (this.#only === null && this.#without.length === 0)) return target;
    const kept = target
      .slice(query + 1)
      .split('&')
      .filter((pair) => this.#keeps(pair))
      .join('&');
    return kept === '' ? target.slice(0, query) : `${target.slice(0, query)}?${kept}`;
  }

  #keeps(pair: string): boolean {
    const equals = pair.indexOf('=');
    const end = equals < 0 ? pair.length : equals;
    const isNamed = (pattern: NamePattern): boolean => pattern.isAt(pair, 0, end);
    return this.#only === null ? !this.#without.some(isNamed) : this.#only.some(isNamed);
  }

  valuesOf(headers: Fields): string {
    let values = '';
    for (const name of this.#headers) values += `\n${firstHeader(headers, name)}`;
    for (const name of this.#cookies) values += `\n${firstCookie(headers, name)}`;
    return values;
  }
}
