/**
 * Serves the dashboard and the reference of the API. Paths are looked up in a map of the built
 * files, so no path reaches the file system.
 */

import { selectCoding } from '../../http/coding.ts';
import { HttpError } from '../../http/errors.ts';
import type { HttpRequest, HttpResponse } from '../../http/transport.ts';
import { matchPage } from '../addresses.ts';
import { ASSETS, readFiles, type StoredFile, type StoredFiles } from './files.ts';

/**
 * Scripts and styles come from files of this host only, the browser sends requests to no other
 * host, no other site may frame a page, and no text can become markup (Trusted Types).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
} as const;

/** The name of an asset contains a hash of its content, so the asset never changes. */
const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** `no-cache`: browsers revalidate the page, so they load assets of the latest version. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

const ALLOW = 'GET, HEAD, OPTIONS';
/** The address of the reference. */
const REFERENCE = '/docs';
/** Paths of the API, which are never pages. */
const API = '/api/';

export class DashboardPages {
  readonly #files: StoredFiles;
  readonly #reference: StoredFiles;

  /** The build outputs of the dashboard and of the reference. */
  constructor(folder: string, reference: string) {
    this.#files = readFiles(folder);
    this.#reference = readFiles(reference);
  }

  /**
   * Responds at the address of a page or an asset. Null: another path. Throws HttpError 405 for
   * methods other than GET, HEAD and OPTIONS.
   */
  respond(request: HttpRequest): HttpResponse | null {
    const { path } = request;
    if (path.startsWith(API)) return null;
    const asset = path.startsWith(`/${ASSETS}/`)
      ? (this.#files.assets.get(path) ?? this.#reference.assets.get(path))
      : undefined;
    const isReference = path === REFERENCE;
    const match = asset === undefined && !isReference ? matchPage(path) : null;
    if (asset === undefined && !isReference && match === null) return null;
    if (request.method === 'OPTIONS') return { status: 200, headers: { Allow: ALLOW }, body: '' };
    if (!isRead(request))
      throw new HttpError(405, 'method_not_allowed', `This page supports only ${ALLOW}.`, {
        headers: { Allow: ALLOW },
      });
    if (asset !== undefined) return respondWith(request, asset, ASSET_HEADERS);
    if (match === null) return respondWith(request, this.#reference.page, PAGE_HEADERS);
    const screen = this.#files.screens[match.page];
    // The browser loads the script of the screen next to the first one (RFC 8288).
    const headers = screen === undefined ? PAGE_HEADERS : { ...PAGE_HEADERS, Link: `<${screen}>; rel=modulepreload` };
    return respondWith(request, this.#files.page, headers);
  }

  /**
   * The "not found" page, for browsers. Null: another client, or a path of the API.
   */
  notFound(request: HttpRequest): HttpResponse | null {
    if (request.path.startsWith(API) || !isRead(request)) return null;
    if (!/\btext\/html\b/i.test(request.header('accept') ?? '')) return null;
    return { ...respondWith(request, this.#files.page, PAGE_HEADERS), status: 404 };
  }
}

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

function respondWith(request: HttpRequest, file: StoredFile, headers: Readonly<Record<string, string>>): HttpResponse {
  const selected = selectCoding(request.header('accept-encoding'));
  const coded = selected === null ? undefined : file.coded[selected];
  const fields: Record<string, string> = { ...headers, 'Content-Type': file.type, ETag: `"${file.hash}"` };
  if (selected === null || coded === undefined) return { status: 200, headers: fields, body: file.bytes };
  // Each coding is a representation of its own (RFC 9110 8.8.3.3).
  const etag = `"${file.hash}-${selected}"`;
  return { status: 200, headers: { ...fields, 'Content-Encoding': selected, ETag: etag }, body: coded };
}
