/** Endpoints that take the account to act for in `?account=`. */
export const ACTED_ENDPOINTS: ReadonlySet<string> = new Set([
  'GET /api/v1/account',
  'GET /api/v1/audit',
  'GET /api/v1/certificates',
  'GET /api/v1/domains',
  'GET /api/v1/domains/check',
  'GET /api/v1/events',
  'POST /api/v1/domains',
  'GET /api/v1/statistics',
  'GET /api/v1/tokens',
  'POST /api/v1/tokens',
  'GET /api/v1/tsig-keys',
  'POST /api/v1/tsig-keys',
  'GET /api/v1/webhooks',
  'POST /api/v1/webhooks',
  'GET /api/dev/apps',
  'POST /api/dev/apps/upload',
]);
