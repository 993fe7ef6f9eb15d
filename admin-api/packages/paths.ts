/** Where the API has apps, uploads and rules. */
export const APPS = '/api/dev/apps';
export const UPLOADS = '/api/dev/uploads';
export const RULES = '/api/dev/rules';

export const uploadUrl = (id: string): string => `${UPLOADS}/${id}`;

/** Where a browser shows the rule. */
export const ruleUrl = (code: string): string => `${RULES}#${code}`;
