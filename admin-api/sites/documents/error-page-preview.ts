/**
 * Previews an error page during editing. The page is part of the URL, so nothing is stored, and any
 * node can serve it. The browser treats the page as a document with an opaque origin, without
 * scripts or requests. Links of other sites have no session: its cookie is SameSite=Strict.
 */
import { inflateRawSync } from 'node:zlib';
import { Type } from '@sinclair/typebox';
import { InvalidError } from '../../../core/base/errors.ts';
import { renderPreview } from '../../../core/site/error-pages/preview.ts';
import { MAX_PAGE_BYTES, PLACEHOLDERS } from '../../../core/site/error-pages/template.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

/** The response without a page: each placeholder with its sample value. */
const PLACEHOLDER_LIST = `<!doctype html><title>Placeholders</title><dl>${Object.keys(PLACEHOLDERS)
  .map((name) => `<dt>${name}</dt><dd>{{${name}}}</dd>`)
  .join('')}</dl>`;

export const errorPagePreviewRoute = (services: Services) =>
  route({
    operationId: 'previewErrorPage',
    method: 'GET',
    path: '/api/v1/domains/{domain_id}/proxy/error-pages/preview',
    tag: 'proxy',
    summary: 'Preview an error page',
    description:
      'The response is the page with sample values in place of its placeholders. It runs no scripts and loads nothing, also no pictures of the site. Nothing is stored.',
    example: { query: { status: '503' } },
    scope: 'proxy',
    query: {
      page: Type.Optional(
        Type.String({
          description:
            'the HTML in UTF-8, compressed by DEFLATE without a header (RFC 1951), in base64url; omitted: a list of the placeholders',
        }),
      ),
      status: Type.Optional(
        Type.String({ description: 'a status from 400 to 599, "4xx", "5xx" or "maintenance"; the default is 5xx' }),
      ),
    },
    responseType: 'text/html',
    faults: { 404: ['no_such_domain'], 422: ['invalid_preview', 'invalid_status', 'invalid_error_page'] },
    run({ caller, params, query, headers }) {
      ownedDomain(services.reader, caller, parseId(params.domain_id));
      const { page, status = '5xx' } = query;
      const html = renderPreview(page === undefined ? PLACEHOLDER_LIST : inflatePage(page), status);
      Object.assign(headers, HEADERS);
      return { raw: Buffer.from(html) };
    },
  });

/** Throws InvalidError `invalid_preview`. The header of a request limits the length of `text`. */
function inflatePage(text: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_PAGE_BYTES });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidError(
      'invalid_preview',
      `"page" must be at most ${MAX_PAGE_BYTES} bytes of UTF-8, compressed by raw DEFLATE, in base64url.`,
      { pointer: '/page' },
    );
  }
}
