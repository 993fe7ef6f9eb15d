/** The actions of rules. */

/** The required and optional fields of each action, next to `type`. */
export const ACTIONS = {
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
} as const;

export type ActionType = keyof typeof ACTIONS;

export const ACTION_TYPES = Object.keys(ACTIONS) as readonly ActionType[];

/**
 * Actions that decide about the request and stop the run. After any other action the next rule
 * follows.
 */
const DECIDING: ReadonlySet<ActionType> = new Set<ActionType>([
  ...([
    'allow',
    'deny',
    'limit',
    'redirect',
    'basic_auth',
    'authenticate',
    'challenge',
    'error_page',
    'respond',
    'maintenance',
  ] as const),
]);

export const isDeciding = (type: ActionType): boolean => DECIDING.has(type);
