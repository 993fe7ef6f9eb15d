/** The endpoint that explains the rules of audits. */
import { createHash } from 'node:crypto';
import { rulesByCode, rulesHtml } from '../../core/miniapp/report/rules-page.ts';
import { publicRoute, type Route } from '../http/route.ts';
import { RULES, ruleUrl } from './paths.ts';
import { rulesAnswer } from './schema.ts';

/** Seconds for which a page need not be asked for anew. */
const FRESH = 3600;
/** Of a page that is nothing but text and its own style. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

export function rulesRoute(): Route {
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
    summary: 'List the rules of audits',
    description:
      'As a page for people when Accept asks for text/html first, as browsers do; "url" of a finding leads to its rule there.',
    answer: rulesAnswer,
    answerType: 'text/html',
    faults: { 304: [] },
    run({ header, headers }) {
      const isPage = /^\s*text\/html\b/i.test(header('accept') ?? '');
      headers.Vary = 'Accept';
      headers.ETag = `"${tag}${isPage ? '-html' : ''}"`;
      headers['Cache-Control'] = `public, max-age=${FRESH}`;
      if (!isPage) return { rules };
      headers['Content-Type'] = 'text/html; charset=utf-8';
      headers['Content-Security-Policy'] = POLICY;
      return { raw: page };
    },
  });
}
