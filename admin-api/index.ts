export { type AdminApi, type AdminApiOptions, createAdminApi } from './admin-api.ts';
export type { AnswerDns } from './zones/doh/routes.ts';
