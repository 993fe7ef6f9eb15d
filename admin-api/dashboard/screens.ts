/** The screen of each page. Each is a separate script that is loaded on the first visit. */
import type { PageName } from './addresses.ts';
import type { Screen } from './screen.ts';

/** Home and sign-in have no screen here. */
type ScreenName = Exclude<PageName, 'home' | 'signIn'>;

export const SCREENS: Readonly<Record<ScreenName, () => Promise<Screen>>> = {
  overview: async () => (await import('./screens/overview.tsx')).Overview,
  domains: async () => (await import('./screens/domains.tsx')).Domains,
  addDomain: async () => (await import('./screens/add-domain.tsx')).AddDomain,
  deletedDomains: async () => (await import('./screens/deleted-domains.tsx')).DeletedDomains,
  setUp: async () => (await import('./screens/set-up.tsx')).SetUp,
  records: async () => (await import('./screens/records.tsx')).Records,
  apps: async () => (await import('./screens/apps.tsx')).Apps,
  app: async () => (await import('./screens/app.tsx')).AppPage,
  upload: async () => (await import('./screens/upload.tsx')).UploadPage,
  reviews: async () => (await import('./screens/reviews.tsx')).Reviews,
  review: async () => (await import('./screens/review.tsx')).ReviewPage,
  history: async () => (await import('./screens/history.tsx')).History,
  keys: async () => (await import('./screens/keys.tsx')).Keys,
  addKey: async () => (await import('./screens/add-key.tsx')).AddKey,
  tsigKeys: async () => (await import('./screens/tsig-keys.tsx')).TsigKeys,
  addTsigKey: async () => (await import('./screens/add-tsig-key.tsx')).AddTsigKey,
  webhooks: async () => (await import('./screens/webhooks.tsx')).Webhooks,
  addWebhook: async () => (await import('./screens/add-webhook.tsx')).AddWebhook,
  webhook: async () => (await import('./screens/webhook.tsx')).WebhookPage,
  audit: async () => (await import('./screens/audit.tsx')).Audit,
  domainStatistics: async () => (await import('./screens/statistics.tsx')).DomainStatistics,
  statistics: async () => (await import('./screens/statistics.tsx')).AccountStatistics,
  accounts: async () => (await import('./screens/accounts.tsx')).Accounts,
  addAccount: async () => (await import('./screens/add-account.tsx')).AddAccount,
  account: async () => (await import('./screens/account.tsx')).AccountPage,
  ownAccount: async () => (await import('./screens/own-account.tsx')).OwnAccount,
  nodes: async () => (await import('./screens/nodes.tsx')).Nodes,
  zoneFile: async () => (await import('./screens/zone-file.tsx')).ZoneFile,
  proxy: async () => (await import('./screens/proxy.tsx')).ProxyScreen,
  origins: async () => (await import('./screens/origins.tsx')).OriginsScreen,
  protection: async () => (await import('./edge/protection-screen.tsx')).ProtectionScreen,
  errorPages: async () => (await import('./edge/error-pages-screen.tsx')).ErrorPagesScreen,
  logs: async () => (await import('./edge/logs-screen.tsx')).LogsScreen,
  rules: async () => (await import('./screens/rules.tsx')).RulesScreen,
  requests: async () => (await import('./screens/requests.tsx')).Requests,
  dnssec: async () => (await import('./screens/dnssec.tsx')).Dnssec,
  steering: async () => (await import('./screens/steering.tsx')).SteeringScreen,
};
