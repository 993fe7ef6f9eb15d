/** Response headers of the dashboard. */

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

/** The name of an asset contains a hash of its content, so it never changes. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** `no-cache`: browsers revalidate the page, so they load assets of the latest version. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};
