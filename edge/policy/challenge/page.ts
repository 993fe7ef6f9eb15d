/**
 * The page of the challenge. Its script searches for the proof of work in small batches, so the
 * page stays responsive, and then sends the form. Without JavaScript, without Web Crypto (which
 * needs https) or on a slow device, the visitor waits and presses the button. The page loads no
 * other resources.
 */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../core/base/html.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';

export const SOLUTION_PATH = '/.well-known/waypost/challenge';

const SCRIPT = `(async () => {
  const form = document.forms[0];
  const status = document.getElementById('status');
  if (!window.crypto || !crypto.subtle) return;
  const token = form.elements.token.value;
  const bits = Number(form.dataset.bits);
  const encoder = new TextEncoder();
  const zeros = (digest) => {
    let count = 0;
    for (const byte of new Uint8Array(digest)) {
      if (byte !== 0) return count + Math.clz32(byte) - 24;
      count += 8;
    }
    return count;
  };
  for (let from = 0; ; from += 64) {
    const nonces = Array.from({ length: 64 }, (_, i) => from + i);
    const digests = await Promise.all(
      nonces.map((nonce) => crypto.subtle.digest('SHA-256', encoder.encode(token + '.' + nonce))),
    );
    const found = digests.findIndex((digest) => zeros(digest) >= bits);
    if (found >= 0) {
      form.elements.nonce.value = nonces[found];
      status.textContent = 'Done. The page opens now.';
      form.submit();
      return;
    }
    if (from % 4096 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
})();`;

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:38rem;margin:15vh auto 2rem;padding:0 1.25rem;color:#1d2430;background:#fff}
h1{font-size:1.6rem;line-height:1.25}
button{font:inherit;padding:.5rem 1.25rem;border:1px solid #5a6472;border-radius:.375rem;background:#eef1f5;color:#1d2430}
button:focus-visible{outline:3px solid #2563eb;outline-offset:2px}
@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181f}button{background:#2a313c;color:#e6e9ee;border-color:#a3adba}}`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only this script, this style, and a form to the same host. */
export const PAGE_FIELDS: FieldList = [
  'content-security-policy',
  `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
];

interface PageContent {
  readonly host: string;
  readonly token: string;
  readonly difficulty: number;
  /** Seconds from now. */
  readonly wait: number;
  /** Redirect target after the challenge: a path with its query. */
  readonly target: string;
}

export const renderPage = ({ host, token, difficulty, wait, target }: PageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>One moment: ${escapeHtml(host)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>One moment</h1>
<p>${escapeHtml(host)} checks that a browser visits it. This takes a few seconds, and happens once.</p>
<p id="status" role="status">The page opens when the check is done.</p>
<form method="post" action="${SOLUTION_PATH}" data-bits="${difficulty}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="nonce" value="">
<input type="hidden" name="to" value="${escapeHtml(target)}">
<p>If nothing happens, or without JavaScript: wait ${wait} seconds, then continue.</p>
<button>Continue</button>
</form>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
