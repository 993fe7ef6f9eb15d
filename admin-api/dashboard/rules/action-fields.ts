/** The fields of each action as inputs, and back. Pure, so that tests import it. */
import type { RuleBody } from '../api/views.ts';

export type Action = RuleBody['action'];
export type ActionType = Action['type'];
export type ActionField = Exclude<keyof Action, 'type'>;

/** The required and the optional fields of each action, as in core/site/rules/actions.ts. */
export const ACTION_FIELDS: Readonly<Record<ActionType, readonly [readonly ActionField[], readonly ActionField[]]>> = {
  allow: [[], []],
  deny: [[], ['status']],
  limit: [
    ['requests', 'period'],
    ['burst', 'by'],
  ],
  redirect: [['location'], ['status']],
  rewrite: [['path'], []],
  set_request_header: [['name', 'value'], []],
  remove_request_header: [['name'], []],
  set_response_header: [['name', 'value'], []],
  remove_response_header: [['name'], []],
  cache: [[], ['ttl', 'override', 'max_ttl', 'key']],
  bypass_cache: [[], []],
  no_compression: [[], []],
  limit_upload: [['size'], []],
  buffer_upload: [['size'], []],
  basic_auth: [['users'], ['realm']],
  authenticate: [[], ['forward', 'jwt', 'oidc', 'certificate']],
  challenge: [[], []],
  error_page: [['status'], ['message']],
  respond: [['body'], ['status', 'content_type']],
  maintenance: [[], ['message', 'retry_after']],
  origin: [['name'], []],
};

export const ACTION_TYPES = Object.keys(ACTION_FIELDS) as ActionType[];

export type InputKind = 'text' | 'number' | 'flag' | 'area' | 'json';

const NUMBERS = new Set<ActionField>([
  'status',
  'requests',
  'period',
  'burst',
  'ttl',
  'max_ttl',
  'size',
  'retry_after',
]);
const OBJECTS = new Set<ActionField>(['key', 'users', 'forward', 'jwt', 'oidc', 'certificate']);

export function kindOf(field: ActionField): InputKind {
  if (NUMBERS.has(field)) return 'number';
  if (OBJECTS.has(field)) return 'json';
  return field === 'override' ? 'flag' : field === 'body' ? 'area' : 'text';
}

export type FieldTexts = Readonly<Partial<Record<ActionField, string>>>;

export function toTexts(action: Action): FieldTexts {
  const { type: _, ...fields } = action;
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      typeof value === 'object' ? JSON.stringify(value, null, 2) : value === false ? '' : String(value),
    ]),
  );
}

/** Empty inputs are left out. Throws SyntaxError for a field that is not JSON. */
export function toAction(type: ActionType, texts: FieldTexts): Action {
  const fields = ACTION_FIELDS[type].flat().flatMap((field) => {
    const text = texts[field] ?? '';
    if (text.trim() === '') return [];
    const kind = kindOf(field);
    const value = kind === 'json' ? JSON.parse(text) : kind === 'number' ? Number(text) : kind === 'flag' ? true : text;
    return [[field, value]];
  });
  return { type, ...Object.fromEntries(fields) } as Action;
}
