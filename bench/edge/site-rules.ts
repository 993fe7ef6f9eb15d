/**
 * Rules of a site as they are in practice: conditions of all kinds, none of which holds for the
 * benchmark's requests.
 */

const DENY = { type: 'deny' } as const;
const HEADER = { type: 'set_response_header', name: 'x-frame-options', value: 'deny' } as const;

/** Ten different ones. */
const KINDS: readonly ((n: number) => Readonly<Record<string, unknown>>)[] = [
  (n) => ({ match: { path: { prefix: [`/admin${n}/`, `/.git${n}`] } }, action: DENY }),
  (n) => ({ match: { path: { glob: [`/wp-content/${n}/**/*.php`] } }, action: DENY }),
  (n) => ({
    match: { path: { regex: [`^/(old|former)${n}/([a-z]+)$`] } },
    action: { type: 'redirect', location: '/{2}' },
  }),
  (n) => ({ match: { host: [`shop${n}.example.com`] }, action: HEADER }),
  (n) => ({ match: { client: [`198.51.100.${n % 256}/32`, '2001:db8::/32'] }, action: DENY }),
  (n) => ({
    match: { header: [{ name: 'user-agent', contains: [`BadBot${n}`, 'Scraper'], ignore_case: true }] },
    action: DENY,
  }),
  (n) => ({ match: { cookie: [{ name: `admin${n}` }] }, action: { type: 'bypass_cache' } }),
  (n) => ({ match: { query: [{ name: `preview${n}` }] }, action: { type: 'bypass_cache' } }),
  (n) => ({
    match: { method: ['POST'], path: { exact: [`/login${n}`] } },
    action: { type: 'limit', requests: 10, period: 60, burst: 10, by: 'address' },
  }),
  (n) => ({ match: { path: { suffix: [`.bak${n}`, '.sql'] } }, action: DENY }),
];

/**
 * The document of `PUT …/proxy/rules` with so many rules. `first`: a number that the conditions of
 * the first one contain; the others have the next numbers.
 */
export const siteRules = (count: number, first = 0): { rules: unknown[] } => ({
  rules: Array.from({ length: count }, (_, i) => ({ name: `Rule ${i + 1}`, ...KINDS[i % KINDS.length](first + i) })),
});
