/** Addresses of the pages. Used by the server and by the router in the browser. */

export type PageName = keyof typeof PAGES;

/** A segment in braces matches any non-empty text without a slash. */
export const PAGES = {
  home: '/',
  signIn: '/sign-in',
  overview: '/overview',
  domains: '/domains',
  addDomain: '/domains/add',
  deletedDomains: '/domains/deleted',
  setUp: '/domains/{domain_id}/set-up',
  records: '/domains/{domain_id}/records',
  apps: '/mini-apps',
  app: '/mini-apps/{app_id}',
  upload: '/mini-apps/uploads/{upload_id}',
  reviews: '/review',
  review: '/review/{upload_id}',
  history: '/domains/{domain_id}/history',
  keys: '/api-keys',
  addKey: '/api-keys/add',
  tsigKeys: '/tsig-keys',
  addTsigKey: '/tsig-keys/add',
  webhooks: '/webhooks',
  addWebhook: '/webhooks/add',
  webhook: '/webhooks/{webhook_id}',
  audit: '/audit',
  domainStatistics: '/domains/{domain_id}/statistics',
  statistics: '/statistics',
  accounts: '/accounts',
  addAccount: '/accounts/add',
  account: '/accounts/{account_id}',
  nodes: '/nodes',
  ownAccount: '/account',
  zoneFile: '/domains/{domain_id}/zone-file',
  proxy: '/domains/{domain_id}/proxy',
  origins: '/domains/{domain_id}/origins',
  protection: '/domains/{domain_id}/protection',
  errorPages: '/domains/{domain_id}/error-pages',
  logs: '/domains/{domain_id}/logs',
  rules: '/domains/{domain_id}/rules',
  requests: '/domains/{domain_id}/requests',
  dnssec: '/domains/{domain_id}/dnssec',
  steering: '/domains/{domain_id}/steering',
} as const;

/** The reference of the API, which is no page of the dashboard. */
export const REFERENCE = '/docs';

export interface PageMatch {
  readonly page: PageName;
  readonly params: Readonly<Record<string, string>>;
}

const NAMES = Object.keys(PAGES) as PageName[];

/** The page at a path, or null. */
export function matchPage(path: string): PageMatch | null {
  const segments = path.split('/');
  for (const page of NAMES) {
    const params = matchSegments(PAGES[page].split('/'), segments);
    if (params !== null) return { page, params };
  }
  return null;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const name = /^\{(\w+)\}$/.exec(expected)?.[1];
    if (name === undefined ? segments[i] !== expected : segments[i] === '') return null;
    if (name !== undefined) params[name] = segments[i];
  }
  return params;
}

let keptAccount: number | null = null;

/** Sets the account that `addressOf` adds to addresses. Null: none. */
export function keepAccount(id: number | null): void {
  keptAccount = id;
}

/** Pages that do not depend on the account that an administrator acts for. */
const WITHOUT_ACCOUNT: readonly PageName[] = ['signIn', 'ownAccount'];

type Values = Readonly<Record<string, string | number>>;

/** The address of a page. `params`: values of segments in braces. `query`: query parameters. */
export function addressOf(page: PageName, params: Values = {}, query: Readonly<Record<string, string>> = {}): string {
  const path = PAGES[page].replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]));
  const all = new URLSearchParams(query);
  if (keptAccount !== null && !WITHOUT_ACCOUNT.includes(page)) all.set('account', String(keptAccount));
  const text = all.toString();
  return text === '' ? path : `${path}?${text}`;
}
