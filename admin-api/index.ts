export { type AdminApi, type AdminApiOptions, createAdminApi } from './admin-api.ts';
export type { AnswerDns } from './doh/routes.ts';
