/**
 * The logout of visitors. A link or a form of another site must not log visitors out, so a request
 * that the visitor has not caused on this site gets a page with a button.
 */
import { firstHeader } from '../../../core/site/rules/index.ts';
import type { Exchange, VisitedSite } from '../../http/exchange/exchange.ts';
import type { Answer } from './verdict.ts';

export const LOGOUT_PATH = '/.well-known/waypost/oidc/logout';

/** Whether the request may end the session. */
export function isLogout({ method, headers }: Exchange, { scheme, authority }: VisitedSite): boolean {
  const site = firstHeader(headers, 'sec-fetch-site');
  if (method === 'GET') return site === 'same-origin' || site === 'none';
  if (method !== 'POST') return false;
  const origin = firstHeader(headers, 'origin');
  return origin === '' ? site === 'same-origin' : origin === `${scheme}://${authority}`;
}

const FORM = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>Sign out</title>
</head>
<body>
<form method="post" action="${LOGOUT_PATH}"><button>Sign out</button></form>
</body>
</html>
`;

export const LOGOUT_FORM: Answer = {
  status: 200,
  fields: [
    ...['content-type', 'text/html; charset=utf-8', 'cache-control', 'no-store', 'server', 'waypost'],
    ...['content-security-policy', "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"],
  ],
  body: FORM,
};
