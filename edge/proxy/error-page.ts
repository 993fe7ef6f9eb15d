/**
 * Error pages of the edge, in HTML, JSON or text, selected by Accept.
 *
 * A page describes what happened to the visitor and what the owner of the site can do. It neither
 * reveals the origin nor loads anything.
 */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { preferredType } from './accept.ts';

export interface ErrorPage {
  readonly status: number;
  /** A stable code for programs, such as `origin_refused`. */
  readonly code: string;
  readonly title: string;
  /** One sentence for the visitor, one for the owner of the site. Plain text. */
  readonly visitor: string;
  readonly owner: string;
  /** Additional fields, such as retry-after and allow. */
  readonly headers?: FieldList;
}

const TYPES = ['text/html', 'application/json', 'text/plain'] as const;

/**
 * Sends the page as the response, which must not have started. HEAD gets no body. Returns the
 * length of the body.
 */
export function answerError(exchange: Exchange, page: ErrorPage, requestId: string): number {
  const type = preferredType(exchange.headers, TYPES);
  const body = Buffer.from(bodyOf(type, page, requestId, exchange.authority));
  exchange.respond(page.status, [
    'content-type',
    type === 'application/json' ? type : `${type}; charset=utf-8`,
    'content-length',
    String(body.length),
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
    ...(type === 'text/html' ? HTML_FIELDS : []),
    'server',
    'waypost',
    'x-request-id',
    requestId,
    ...(page.headers ?? []),
  ]);
  exchange.end(body);
  return exchange.method === 'HEAD' ? 0 : body.length;
}

/** The page loads nothing and runs no scripts. */
const HTML_FIELDS = [
  'content-security-policy',
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
];

function bodyOf(type: (typeof TYPES)[number], page: ErrorPage, requestId: string, host: string): string {
  switch (type) {
    case 'text/html':
      return renderHtml(page, requestId, host);
    case 'application/json':
      return `${JSON.stringify({
        ok: false,
        error: { code: page.code, message: `${page.visitor} ${page.owner}` },
        request_id: requestId,
      })}\n`;
    case 'text/plain':
      return `${page.status} ${page.title}\n\n${page.visitor}\n${page.owner}\n\nRequest: ${requestId}\n`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]);

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:38rem;margin:15vh auto 2rem;padding:0 1.25rem;color:#1d2430;background:#fff}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0 1rem}
.status,footer{color:#5a6472}
.status{font-size:1rem;margin:0}
h2{font-size:1rem;margin:1.75rem 0 0}
p{margin:0}
footer{margin-top:2.5rem;font-size:.875rem}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181f}.status,footer{color:#a3adba}}`;

const renderHtml = (page: ErrorPage, requestId: string, host: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.status} ${escapeHtml(page.title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<main>
<p class="status">${page.status} · ${escapeHtml(host)}</p>
<h1>${escapeHtml(page.title)}</h1>
<p>${escapeHtml(page.visitor)}</p>
<h2>For the owner of this site</h2>
<p>${escapeHtml(page.owner)}</p>
</main>
<footer>Request <code>${escapeHtml(requestId)}</code></footer>
</body>
</html>
`;
