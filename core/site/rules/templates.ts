/** Templates of common rules, ready to be added to a list. */
import type { Rule } from './document.ts';

export interface RuleTemplate {
  /** Stable, for the CLI and the dashboard. */
  readonly name: string;
  readonly title: string;
  /** The effect of the rules, and what to check before using them. */
  readonly description: string;
  /** `domain`: without the last dot. */
  rules(domain: string): readonly Rule[];
}

/** Crawlers that copy whole sites and ignore robots.txt. */
const BAD_BOTS = [
  ...['AhrefsBot', 'Bytespider', 'DataForSeoBot', 'DotBot', 'MJ12bot', 'PetalBot', 'SemrushBot', 'BLEXBot'],
  ...['serpstatbot', 'ZoominfoBot', 'MegaIndex', 'SeekportBot', 'masscan', 'nikto', 'sqlmap', 'zgrab', 'nuclei'],
];

const STATIC_SUFFIXES = [
  ...['.css', '.js', '.mjs', '.map', '.json', '.txt', '.xml', '.wasm', '.pdf', '.zip'],
  ...['.avif', '.gif', '.ico', '.jpeg', '.jpg', '.png', '.svg', '.webp', '.mp3', '.mp4', '.webm'],
  ...['.eot', '.otf', '.ttf', '.woff', '.woff2'],
];

const setHeader = (name: string, value: string): Rule => ({
  name: `Security header ${name}`,
  action: { type: 'set_response_header', name, value },
});

/** Cookies of editors who see drafts: draft mode, and preview mode of the pages router. */
const NEXT_DRAFT_COOKIES = ['__prerender_bypass', '__next_preview_data'];

/** Cookies of visitors with personal pages: signed in, with a comment, a cart or a password. */
const WORDPRESS_COOKIES = [
  ...['wordpress_logged_in_*', 'wordpress_sec_*', 'comment_author_*', 'wp-postpass_*'],
  ...['woocommerce_cart_hash', 'woocommerce_items_in_cart', 'wp_woocommerce_session_*'],
];

export const RULE_TEMPLATES: readonly RuleTemplate[] = [
  {
    name: 'www-to-apex',
    title: 'www to apex',
    description: 'Redirects www.DOMAIN to DOMAIN, with path and query.',
    rules: (domain) => [
      {
        name: 'www to apex',
        match: { host: [`www.${domain}`] },
        action: { type: 'redirect', location: `https://${domain}{uri}`, status: 301 },
      },
    ],
  },
  {
    name: 'block-bad-bots',
    title: 'Block bad bots',
    description:
      'Denies requests of known scrapers and scanners by their User-Agent. Others can pretend to be a browser.',
    rules: () => [
      {
        name: 'Block bad bots',
        match: { header: [{ name: 'user-agent', contains: BAD_BOTS, ignore_case: true }] },
        except: { path: { exact: ['/robots.txt'] } },
        action: { type: 'deny' },
      },
    ],
  },
  {
    name: 'cache-static',
    title: 'Cache everything static',
    description: 'Keeps images, styles, scripts and fonts for a day where the origin does not say for how long.',
    rules: () => [
      {
        name: 'Cache everything static',
        match: { method: ['GET', 'HEAD'], path: { suffix: STATIC_SUFFIXES, ignore_case: true } },
        action: { type: 'cache', ttl: 86_400 },
      },
    ],
  },
  {
    name: 'security-headers',
    title: 'Security headers',
    description:
      'Sets headers that protect visitors. HSTS is a setting of the proxy, and a Content-Security-Policy must fit the site.',
    rules: () => [
      setHeader('X-Content-Type-Options', 'nosniff'),
      setHeader('X-Frame-Options', 'SAMEORIGIN'),
      setHeader('Referrer-Policy', 'strict-origin-when-cross-origin'),
      setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=()'),
    ],
  },
  {
    name: 'next',
    title: 'Next.js',
    description:
      'Stores prerendered pages for at most a minute, which Next.js permits for a year, and files with a hash in their name as it says. Drafts are not stored.',
    rules: () => [
      {
        name: 'Next.js: pages',
        except: { path: { prefix: ['/_next/static/', '/_next/image'] } },
        action: { type: 'cache', max_ttl: 60 },
      },
      ...NEXT_DRAFT_COOKIES.map(
        (name): Rule => ({
          name: `Next.js: drafts (${name})`,
          match: { cookie: [{ name }] },
          action: { type: 'bypass_cache' },
        }),
      ),
    ],
  },
  {
    name: 'wordpress',
    title: 'WordPress',
    description:
      'Limits attempts to sign in, denies xmlrpc.php and private files, caches pages of visitors who are not signed in.',
    rules: () => [
      {
        name: 'WordPress: private files',
        match: {
          path: {
            exact: ['/xmlrpc.php', '/wp-config.php', '/readme.html', '/license.txt'],
            regex: ['^/wp-content/uploads/.*\\.ph(?:p\\d?|tml|ar)$', '/\\.(?:git|env|ht)'],
            ignore_case: true,
          },
        },
        action: { type: 'deny' },
      },
      {
        name: 'WordPress: attempts to sign in',
        match: { method: ['POST'], path: { exact: ['/wp-login.php'] } },
        action: { type: 'limit', requests: 5, period: 60, burst: 10 },
      },
      {
        name: 'WordPress: files',
        match: {
          method: ['GET', 'HEAD'],
          path: { glob: ['/wp-content/**', '/wp-includes/**'] },
        },
        action: { type: 'cache', ttl: 86_400 },
      },
      {
        name: 'WordPress: pages of visitors',
        match: { method: ['GET', 'HEAD'] },
        except: { path: { prefix: ['/wp-'] } },
        action: { type: 'cache', ttl: 300, key: { query_without: ['utm_*', 'fbclid', 'gclid'] } },
      },
      ...WORDPRESS_COOKIES.map(
        (name): Rule => ({
          name: `WordPress: not for everybody (${name})`,
          match: { cookie: [{ name }] },
          action: { type: 'bypass_cache' },
        }),
      ),
      {
        name: 'WordPress: administration',
        match: { path: { prefix: ['/wp-admin', '/wp-login.php', '/wp-json', '/cart', '/checkout', '/my-account'] } },
        action: { type: 'bypass_cache' },
      },
    ],
  },
];
