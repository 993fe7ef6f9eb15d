/** Paths of apps, uploads, rules, SDKs and the sandbox policy in the API. */
import type { Id } from '../../../core/store/keys.ts';

export const APPS = '/api/dev/apps';
export const UPLOADS = '/api/dev/uploads';
export const RULES = '/api/dev/rules';
export const POLICY = '/api/dev/policy';
export const STORE = '/api/store/apps';
export const STORE_KEYS = '/api/store/keys';
export const STORE_KEYS_ADMIN = '/api/admin/store/keys';
export const SDKS = '/api/dev/sdk';

export const uploadUrl = (id: Id): string => `${UPLOADS}/${id}`;

/** Path of a rule on the page of rules. */
export const ruleUrl = (code: string): string => `${RULES}#${code}`;
