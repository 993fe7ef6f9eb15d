/** The entries of the main navigation, and the tabs of a domain. */
import type { PageName } from './addresses.ts';
import type { User } from './session.ts';
import { TEXTS } from './texts.ts';

interface NavigationEntry {
  readonly page: PageName;
  readonly label: string;
  /** Prefix of the paths of its pages. */
  readonly section: string;
  readonly isFor: (user: User) => boolean;
}

const anyone = (): boolean => true;
const admins = ({ role }: User): boolean => role === 'admin';

const ENTRIES: readonly NavigationEntry[] = [
  { page: 'overview', label: TEXTS.navigation.overview, section: '/overview', isFor: anyone },
  { page: 'domains', label: TEXTS.navigation.domains, section: '/domains', isFor: anyone },
  { page: 'statistics', label: TEXTS.navigation.statistics, section: '/statistics', isFor: anyone },
  { page: 'keys', label: TEXTS.navigation.keys, section: '/api-keys', isFor: anyone },
  { page: 'tsigKeys', label: TEXTS.navigation.tsigKeys, section: '/tsig-keys', isFor: anyone },
  { page: 'webhooks', label: TEXTS.navigation.webhooks, section: '/webhooks', isFor: anyone },
  { page: 'apps', label: TEXTS.navigation.apps, section: '/mini-apps', isFor: anyone },
  { page: 'audit', label: TEXTS.navigation.audit, section: '/audit', isFor: anyone },
  { page: 'reviews', label: TEXTS.navigation.reviews, section: '/review', isFor: admins },
  { page: 'accounts', label: TEXTS.navigation.accounts, section: '/accounts', isFor: admins },
  { page: 'nodes', label: TEXTS.navigation.nodes, section: '/nodes', isFor: admins },
];

/** The entries that the user may open. */
export const entriesFor = (user: User): NavigationEntry[] => ENTRIES.filter(({ isFor }) => isFor(user));

export const isInSection = ({ section }: NavigationEntry, path: string): boolean =>
  path === section || path.startsWith(`${section}/`);

/** The pages of a domain, in the order of their tabs. */
export const DOMAIN_TABS = [
  'records',
  'zoneFile',
  'proxy',
  'requests',
  'steering',
  'dnssec',
  'domainStatistics',
  'history',
  'setUp',
] as const satisfies readonly PageName[];

/** The pages below the tab of the proxy. */
export const PROXY_TABS = [
  'proxy',
  'origins',
  'rules',
  'protection',
  'errorPages',
  'logs',
] as const satisfies readonly PageName[];

export type DomainPage = (typeof DOMAIN_TABS)[number] | (typeof PROXY_TABS)[number];

export const isProxyPage = (page: PageName): page is (typeof PROXY_TABS)[number] =>
  (PROXY_TABS as readonly PageName[]).includes(page);

export const isDomainPage = (page: PageName): page is DomainPage =>
  (DOMAIN_TABS as readonly PageName[]).includes(page) || isProxyPage(page);
