/** The entries of the navigation: of the account, and of a domain on its pages. */
import type { IconName } from '../ui/icons.ts';
import type { PageName } from './addresses.ts';
import type { User } from './session.ts';
import { TEXTS } from './texts.ts';

interface Entry<Page extends PageName> {
  readonly page: Page;
  readonly icon: IconName;
}

interface Group<Page extends PageName> {
  readonly title: string;
  readonly entries: readonly Entry<Page>[];
}

const groups = TEXTS.navigation.groups;

const ACCOUNT_GROUPS = [
  {
    title: groups.domains,
    entries: [
      { page: 'overview', icon: 'home' },
      { page: 'domains', icon: 'globe' },
    ],
  },
  { title: groups.traffic, entries: [{ page: 'statistics', icon: 'statistics' }] },
  {
    title: groups.apps,
    entries: [
      { page: 'apps', icon: 'apps' },
      { page: 'webhooks', icon: 'webhook' },
    ],
  },
  {
    title: groups.account,
    entries: [
      { page: 'keys', icon: 'key' },
      { page: 'tsigKeys', icon: 'transfer' },
      { page: 'audit', icon: 'audit' },
    ],
  },
] as const satisfies readonly Group<PageName>[];

/** For administrators only. */
const OPERATE = {
  title: groups.operate,
  entries: [
    { page: 'nodes', icon: 'servers' },
    { page: 'accounts', icon: 'accounts' },
    { page: 'reviews', icon: 'review' },
  ],
} as const satisfies Group<PageName>;

const DOMAIN_GROUPS = [
  {
    title: groups.dns,
    entries: [
      { page: 'records', icon: 'table' },
      { page: 'zoneFile', icon: 'file' },
      { page: 'dnssec', icon: 'lock' },
      { page: 'steering', icon: 'steering' },
      { page: 'setUp', icon: 'signpost' },
    ],
  },
  {
    title: groups.edge,
    entries: [
      { page: 'proxy', icon: 'edge' },
      { page: 'origins', icon: 'cube' },
      { page: 'rules', icon: 'rules' },
      { page: 'protection', icon: 'shield' },
      { page: 'errorPages', icon: 'warning' },
      { page: 'logs', icon: 'lines' },
    ],
  },
  {
    title: groups.traffic,
    entries: [
      { page: 'requests', icon: 'pulse' },
      { page: 'domainStatistics', icon: 'statistics' },
    ],
  },
  { title: groups.domain, entries: [{ page: 'history', icon: 'history' }] },
] as const satisfies readonly Group<PageName>[];

type AccountPage = (typeof ACCOUNT_GROUPS | readonly [typeof OPERATE])[number]['entries'][number]['page'];
export type DomainPage = (typeof DOMAIN_GROUPS)[number]['entries'][number]['page'];

export const domainGroups: readonly Group<DomainPage>[] = DOMAIN_GROUPS;

/** The groups that the user may open. */
export const groupsFor = ({ role }: User): readonly Group<AccountPage>[] =>
  role === 'admin' ? [...ACCOUNT_GROUPS, OPERATE] : ACCOUNT_GROUPS;

const DOMAIN_PAGES = new Set<PageName>(DOMAIN_GROUPS.flatMap(({ entries }) => entries.map(({ page }) => page)));

export const isDomainPage = (page: PageName): page is DomainPage => DOMAIN_PAGES.has(page);
