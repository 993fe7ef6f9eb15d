export { type AdminApi, type AdminApiOptions, createAdminApi } from './admin-api.ts';
export type { Readiness } from './health.ts';
