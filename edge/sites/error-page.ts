/**
 * Error pages of the edge, in HTML, JSON or text, selected by Accept.
 *
 * A page describes what happened to the visitor and what the owner of the site can do. It neither
 * reveals the origin nor loads anything. A site may have HTML pages of its own.
 */

import { escapeHtml } from '../../core/base/html.ts';
import { type ErrorPages, templateFor } from '../../core/site/error-pages/error-pages.ts';
import { renderTemplate } from '../../core/site/error-pages/template.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

/** Members that are read. The rest of a longer list does not matter for an error page. */
const MAX_MEMBERS = 32;

/** The result for the last request: the requests of a flood have the same list. */
let lastList = '';

let lastTypes: readonly string[] = [];

let lastBest = '';

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
type Type = (typeof TYPES)[number];

/**
 * Sends the page as the response, which must not have started. HEAD gets no body. Returns the
 * length of the body. `own`: the pages of the site, if it has some.
 */
export function answerError(
  exchange: Exchange,
  page: ErrorPage,
  requestId: string,
  own: ErrorPages | null = null,
): number {
  const type = preferredType(exchange.headers, TYPES);
  const ownHtml = own !== null && type === 'text/html' ? renderOwn(own, exchange, page, requestId) : undefined;
  const body = ownHtml === undefined ? bodyBytes(type, page, requestId, exchange.authority) : Buffer.from(ownHtml);
  exchange.respond(page.status, [
    'content-type',
    type === 'application/json' ? type : `${type}; charset=utf-8`,
    'content-length',
    String(body.length),
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
    ...(ownHtml !== undefined ? OWN_HTML_FIELDS : type === 'text/html' ? HTML_FIELDS : []),
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

/**
 * A page of the site is shown under the site's own address, for requests that any link can cause.
 * So it runs no scripts and sends no forms; styles, pictures and fonts come from the site or are in
 * the page.
 */
const OWN_HTML_FIELDS = [
  'content-security-policy',
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

/** Undefined: the site has no page of its own for this status. */
function renderOwn(own: ErrorPages, exchange: Exchange, page: ErrorPage, requestId: string): string | undefined {
  const template = templateFor(own, page.status, page.code);
  return (
    template &&
    renderTemplate(template, {
      status: String(page.status),
      title: page.title,
      reason: page.visitor,
      code: page.code,
      request_id: requestId,
      host: siteHost(exchange.authority),
      time: new Date().toISOString().slice(0, 19).replace('T', ' '),
    })
  );
}

/** A page as it was sent last, without the id of the request. */
interface Sent {
  readonly type: Type;
  readonly host: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** A site that is flooded refuses most requests with the same page. */
const sent = new WeakMap<ErrorPage, Sent>();
/** Stands for the id. No part of a page that comes after the id is a visitor's. */
const ID = 'id-of-the-request';
const PLAIN_ID = /^[\w-]+$/;

function bodyBytes(type: Type, page: ErrorPage, requestId: string, host: string): Buffer {
  if (!PLAIN_ID.test(requestId)) return Buffer.from(bodyOf(type, page, requestId, host));
  let last = sent.get(page);
  if (last === undefined || last.type !== type || last.host !== host) {
    const text = bodyOf(type, page, ID, host);
    const at = text.lastIndexOf(ID);
    const [before, after] = [text.slice(0, at), text.slice(at + ID.length)];
    last = { type, host, before: Buffer.from(before), after: Buffer.from(after) };
    sent.set(page, last);
  }
  return Buffer.concat([last.before, Buffer.from(requestId), last.after]);
}

function bodyOf(type: Type, page: ErrorPage, requestId: string, host: string): string {
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

interface Range {
  readonly type: string;
  readonly quality: number;
}

/**
 * Selects the content type that a visitor prefers (RFC 9110 section 12.5.1).
 *
 * The preferred type of `types` (lower case, no parameters); among equals the first. If none is
 * acceptable, the first: an unrequested page is more useful than none.
 */
export function preferredType<T extends string>(headers: FieldList, types: readonly T[]): T {
  const list = acceptList(headers);
  if (list === lastList && types === lastTypes) return lastBest as T;
  const ranges = acceptedRanges(list);
  let best = types[0];
  let bestWeight = 0;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) {
      best = type;
      bestWeight = weight;
    }
  }
  lastList = list;
  lastTypes = types;
  lastBest = best;
  return best;
}

/** The values of all Accept lines, joined by commas. */
function acceptList(headers: FieldList): string {
  let list = '';
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'accept') list = list === '' ? headers[i + 1] : `${list},${headers[i + 1]}`;
  return list;
}

function acceptedRanges(list: string): Range[] {
  return list
    .split(',', MAX_MEMBERS)
    .map(rangeOf)
    .filter((range) => range.type !== '');
}

function rangeOf(member: string): Range {
  const [type, ...parameters] = member.toLowerCase().split(';');
  let quality = 1;
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/.exec(parameter);
    if (weight !== null) quality = Math.min(1, Number(weight[1]));
  }
  return { type: type.trim(), quality };
}

/**
 * The weight comes from the most specific matching range. At the same quality, the more specific
 * range wins.
 */
function weightOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  const matching = [type, group, '*/*'];
  for (let i = 0; i < matching.length; i++) {
    const range = ranges.find((candidate) => candidate.type === matching[i]);
    if (range !== undefined) return range.quality === 0 ? 0 : range.quality * 10_000 - i;
  }
  return 0;
}
