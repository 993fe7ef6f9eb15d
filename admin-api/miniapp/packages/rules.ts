/** The endpoint that explains the rules of audits. */
import { createHash } from 'node:crypto';
import { publicRoute } from '../../http/route.ts';
import { rulesByCode, rulesHtml } from '../audit/report/rules-page.ts';
import { RULES, ruleUrl } from './paths.ts';
import { rulesResponse } from './schema.ts';

/** Seconds for which caches may reuse the page. */
const MAX_AGE = 3600;
/** Content-Security-Policy of a page with only text and its own style. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

export function rulesRoute() {
  const rules = rulesByCode().map(([code, { type, review = false, title, about, fix }]) => {
    return { code, type, review, title, about, fix, url: ruleUrl(code) };
  });
  const page = Buffer.from(rulesHtml());
  const tag = createHash('sha256').update(page).digest('base64url').slice(0, 20);
  return publicRoute({
    operationId: 'listRules',
    method: 'GET',
    path: RULES,
    tag: 'packages',
    summary: 'List the audit rules',
    description:
      'The response is an HTML page if Accept requests text/html first, as browsers do. The "url" of a finding links to its rule on this page.',
    response: rulesResponse,
    responseType: 'text/html',
    faults: { 304: [] },
    run({ header, headers }) {
      const isPage = /^\s*text\/html\b/i.test(header('accept') ?? '');
      headers.Vary = 'Accept';
      headers.ETag = `"${tag}${isPage ? '-html' : ''}"`;
      headers['Cache-Control'] = `public, max-age=${MAX_AGE}`;
      if (!isPage) return { rules };
      headers['Content-Type'] = 'text/html; charset=utf-8';
      headers['Content-Security-Policy'] = POLICY;
      return { raw: page };
    },
  });
}
