/** Checks the action of a rule. */
import { RE2JS } from 're2js';
import { MAX_UPLOAD_BUFFER } from '../uploads.ts';
import { ACTIONS, type ActionType } from './actions.ts';
import type { Rule, RuleAction } from './document.ts';
import { FIELD_NAME, FIELD_VALUE, forbiddenHeader } from './forbidden-headers.ts';
import { parseTemplate } from './text-template.ts';

/** `field`: a pointer in the action. `problem`: the rest of a sentence about the field. */
type Report = (field: string, problem: string) => void;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 6265 section 4.1.1. */
const COOKIE_NAME = new RegExp(`^${TOKEN}$`);
const FINGERPRINT = /^[0-9a-f]{2}(?::?[0-9a-f]{2}){31}$/i;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** An address, or all of a domain. */
const EMAIL = /^(?:\*|[^@\s*]+)@[^@\s*]+$/;
const LOCATION = /^[\x21-\x7e]{1,2000}$/;
const COUNTED_BY = /^(?:address|network|(?:header|cookie):[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100})$/;
/** RFC 9110 section 8.3.1. */
const MEDIA_TYPE = new RegExp(
  String.raw`^${TOKEN}/${TOKEN}(?:[ \t]*;[ \t]*${TOKEN}=(?:${TOKEN}|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$`,
);
const PRINTABLE = /^[\x20-\x7e\u00a0-\uffff]*$/;
const HASH = /^\$argon2id\$v=\d+\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$[A-Za-z0-9+/]{10,100}\$[A-Za-z0-9+/]{10,200}$/;
/** Limits of argon2id for one verification: KiB of memory, passes, lanes. */
const MAX_COST = [65_536, 10, 4] as const;
/**
 * Maximum of KiB times passes, about 0.2 s: all threads of the edge share four threads for hashes
 * and files. The defaults of common libraries are below this.
 */
const MAX_WORK = 4 * 65_536;
/** Up to the path, the query, or a placeholder that starts with one. Group 1: the authority. */
const AUTHORITY = /^(?:https?|\{scheme\}):\/\/(.*?)(?:[/?\\]|\{(?:path|uri|query)\}|$)/i;
/** Visitors control no part of the authority except the requested host. */
const SAFE_AUTHORITY = /^(?:[a-z0-9.-]*\{host\}|[a-z0-9.-]+)(?::\d{1,5})?$/i;

const STATUSES: Readonly<Partial<Record<ActionType, (status: number) => boolean>>> = {
  deny: (status) => status >= 400 && status <= 499,
  redirect: (status) => [301, 302, 303, 307, 308].includes(status),
  respond: (status) => status === 200 || (status >= 400 && status <= 599),
  error_page: (status) => status >= 400 && status <= 599,
};
const STATUS_TEXT: Readonly<Partial<Record<ActionType, string>>> = {
  deny: '400 to 499',
  redirect: '301, 302, 303, 307 or 308',
  respond: '200, or 400 to 599',
  error_page: '400 to 599',
};

/** Whether the action has the fields of its type. */
function checkFields(action: RuleAction, report: Report): boolean {
  const [needed, optional]: readonly (readonly string[])[] = ACTIONS[action.type];
  const present = Object.keys(action).filter((field) => field !== 'type');
  const missing = needed.filter((field) => !present.includes(field));
  for (const field of missing) report(`/${field}`, `is missing; the action ${action.type} needs it`);
  for (const field of present)
    if (!needed.includes(field) && !optional.includes(field))
      report(`/${field}`, `does not belong to the action ${action.type}; remove it`);
  const { status } = action as { readonly status?: number };
  if (status !== undefined && STATUSES[action.type]?.(status) === false)
    report('/status', `must be ${STATUS_TEXT[action.type]}`);
  return missing.length === 0;
}

export function checkAction(rule: Rule, report: Report): void {
  const { action } = rule;
  if (!checkFields(action, report)) return;
  switch (action.type) {
    case 'redirect':
      checkLocation(rule, action.location, report);
      break;
    case 'rewrite':
      checkTemplate(rule, action.path, '/path', report);
      if (!action.path.startsWith('/') && !/^\{(?:path|uri)\}/.test(action.path))
        report('/path', 'must start with "/", {path} or {uri}');
      break;
    case 'set_request_header':
    case 'remove_request_header':
      checkHeader(rule, action, 'request', report);
      break;
    case 'set_response_header':
    case 'remove_response_header':
      checkHeader(rule, action, 'response', report);
      break;
    case 'limit':
      if (action.by !== undefined && !COUNTED_BY.test(action.by))
        report('/by', 'must be address, network, header:NAME or cookie:NAME');
      break;
    case 'cache':
      checkCache(action, report);
      break;
    case 'buffer_upload':
      if (action.size > MAX_UPLOAD_BUFFER) report('/size', `must be at most ${MAX_UPLOAD_BUFFER} bytes`);
      break;
    case 'basic_auth':
      checkUsers(action, report);
      break;
    case 'authenticate':
      checkAuthentication(action, report);
      break;
    case 'respond':
      if (action.content_type !== undefined && !MEDIA_TYPE.test(action.content_type))
        report('/content_type', 'is not a media type such as text/html; charset=utf-8');
      break;
    case 'maintenance':
    case 'error_page':
      if (action.message !== undefined && !PRINTABLE.test(action.message))
        report('/message', 'has control characters; write one line of text');
      break;
    default:
  }
}

function checkTemplate(rule: Rule, text: string, field: string, report: Report): void {
  if (LOCATION.test(text)) checkPlaceholders(rule, parseTemplate(text, 'url'), field, report);
  else report(field, 'must be visible ASCII without blanks, at most 2000 characters; write other characters as %XX');
}

/** `parts`: a result of parseTemplate. */
function checkPlaceholders({ match }: Rule, parts: readonly string[] | string, field: string, report: Report): void {
  if (typeof parts === 'string') {
    report(field, parts);
    return;
  }
  if (!parts.some((part, i) => i % 2 === 1 && /^\d$/.test(part))) return;
  const patterns = match?.path?.regex ?? [];
  if (patterns.length === 0) report(field, 'has a group such as {1}, but the rule has no match.path.regex');
  try {
    for (const pattern of patterns) RE2JS.compile(pattern);
  } catch (error) {
    report(field, `cannot use groups of match.path.regex: ${(error as Error).message}`);
  }
}

function checkLocation(rule: Rule, location: string, report: Report): void {
  checkTemplate(rule, location, '/location', report);
  if (/^\/(?!\/|\\)/.test(location) || /^\{(?:path|uri)\}/.test(location)) return;
  const authority = AUTHORITY.exec(location);
  if (authority === null)
    report('/location', 'must be a path that starts with "/", or a URL that starts with https:// or http://');
  else if (!SAFE_AUTHORITY.test(authority[1]))
    report('/location', 'needs a host that visitors cannot choose; write "/" before other placeholders than {host}');
}

function checkHeader(
  rule: Rule,
  action: Extract<RuleAction, { readonly name: string }> & { readonly value?: string },
  side: 'request' | 'response',
  report: Report,
): void {
  const { name, value } = action;
  if (!FIELD_NAME.test(name)) report('/name', `${JSON.stringify(name.slice(0, 80))} is not a header name`);
  const forbidden = forbiddenHeader(side, name);
  if (forbidden !== undefined) report('/name', forbidden);
  if (value === undefined) return;
  if (!FIELD_VALUE.test(value) || value.length > 4000)
    report('/value', 'must be visible ASCII with inner blanks, from 1 to 4000 characters');
  else checkPlaceholders(rule, parseTemplate(value, 'header'), '/value', report);
}

function checkCache({ ttl, override, max_ttl, key }: Extract<RuleAction, { type: 'cache' }>, report: Report): void {
  if (ttl === undefined && max_ttl === undefined && key === undefined)
    report('', 'does nothing; add ttl, max_ttl or key');
  if (ttl === undefined && override !== undefined) report('/override', 'needs a ttl');
  if (override === true && max_ttl !== undefined)
    report('/max_ttl', 'has no effect, because ttl replaces the lifetime of the origin; remove one of them');
  if (key === undefined) return;
  if (Object.keys(key).length === 0) report('/key', 'is empty; add query_only, query_without, headers or cookies');
  if (key.query_only !== undefined && key.query_without !== undefined)
    report('/key', 'has both query_only and query_without; keep one of them');
  key.headers?.forEach((name, i) => {
    if (!FIELD_NAME.test(name)) report(`/key/headers/${i}`, 'is not a header name');
    else if (/^(?:cookie|authorization)$/i.test(name))
      report(`/key/headers/${i}`, 'is the secret of a visitor; name single cookies in key.cookies');
  });
}

function checkUsers({ realm, users }: Extract<RuleAction, { type: 'basic_auth' }>, report: Report): void {
  if (realm !== undefined && !/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(realm))
    report('/realm', 'must be at most 100 characters of ASCII without quotes and backslashes');
  const names = new Set<string>();
  users.forEach(({ name, hash }, i) => {
    if (name === '' || name.includes(':') || !PRINTABLE.test(name))
      report(`/users/${i}/name`, 'must not be empty and must have no colon (RFC 7617)');
    if (names.has(name)) report(`/users/${i}/name`, `${JSON.stringify(name)} is there twice`);
    names.add(name);
    const cost = HASH.exec(hash);
    if (cost === null) report(`/users/${i}/hash`, 'is not an argon2id hash; use a password instead');
    else if (MAX_COST.some((most, at) => Number(cost[at + 1]) > most))
      report(`/users/${i}/hash`, `costs more than m=${MAX_COST[0]}, t=${MAX_COST[1]}, p=${MAX_COST[2]}`);
    else if (Number(cost[1]) * Number(cost[2]) > MAX_WORK)
      report(`/users/${i}/hash`, `costs more than m·t=${MAX_WORK}; use m=65536,t=3 or less`);
  });
}

/** The URLs are checked where the operator's exemptions are known (admin-api/sites/documents). */
function checkAuthentication(action: Extract<RuleAction, { type: 'authenticate' }>, report: Report): void {
  const { forward, jwt, oidc, certificate } = action;
  if ([forward, jwt, oidc, certificate].filter((way) => way !== undefined).length !== 1)
    report('', 'needs one of forward, jwt, oidc and certificate');
  checkIdentityHeaders(forward?.copy_headers ?? [], (i) => `/forward/copy_headers/${i}`, report);
  for (const [way, { copy_claims = [] } = {}] of Object.entries({ jwt, oidc })) {
    const names = copy_claims.map((copied) => copied.header);
    checkIdentityHeaders(names, (i) => `/${way}/copy_claims/${i}/header`, report);
  }
  const fields = certificate?.copy_fields?.map((copied) => copied.header) ?? [];
  checkIdentityHeaders(fields, (i) => `/certificate/copy_fields/${i}/header`, report);
  certificate?.allowed_fingerprints?.forEach((fingerprint, i) => {
    if (!FINGERPRINT.test(fingerprint))
      report(`/certificate/allowed_fingerprints/${i}`, 'is not a SHA-256 in 64 hexadecimal digits');
  });
  const { header, cookie } = jwt ?? {};
  if (header !== undefined && !FIELD_NAME.test(header)) report('/jwt/header', 'is not a header name');
  if (cookie !== undefined && !COOKIE_NAME.test(cookie)) report('/jwt/cookie', 'is not a name of a cookie');
  oidc?.scopes?.forEach((scope, i) => {
    if (!SCOPE.test(scope)) report(`/oidc/scopes/${i}`, 'is not a scope');
  });
  oidc?.allowed_emails?.forEach((email, i) => {
    if (!EMAIL.test(email)) report(`/oidc/allowed_emails/${i}`, 'must be like ann@example.com or *@example.com');
  });
}

function checkIdentityHeaders(names: readonly string[], fieldOf: (i: number) => string, report: Report): void {
  const seen = new Set<string>();
  names.forEach((name, i) => {
    const lower = name.toLowerCase();
    const forbidden = lower === 'cookie' ? 'is the cookie of the visitor' : forbiddenHeader('request', name);
    if (!FIELD_NAME.test(name)) report(fieldOf(i), `${JSON.stringify(name.slice(0, 80))} is not a header name`);
    else if (forbidden !== undefined) report(fieldOf(i), forbidden);
    else if (seen.has(lower)) report(fieldOf(i), `${JSON.stringify(name)} is there twice`);
    seen.add(lower);
  });
}
