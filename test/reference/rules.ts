/**
 * The rules of a domain, interpreted slowly and obviously: what core/site/rules compiles must come
 * to the same result.
 */
import { RE2JS } from 're2js';
import type { NamedMatch, Rule, RuleMatch, RulesDocument, TextMatch } from '../../core/site/rules/index.ts';
import type { UploadTerms } from '../../core/site/uploads.ts';

export interface ReferenceRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Path with the query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly address: string;
  readonly country: string;
}

export interface Outcome {
  /** Numbers of the rules that match, in order. */
  readonly matched: readonly number[];
  /** The number of the rule that stops the run; null: none does. */
  readonly stoppedBy: number | null;
  readonly requestHeaders: Readonly<Record<string, string | null>>;
  readonly responseHeaders: Readonly<Record<string, string | null>>;
  readonly target: string;
  readonly cache: { readonly ttl: number; readonly override: boolean; readonly max: number } | 'bypass' | null;
  readonly isUncompressed: boolean;
  readonly uploads: UploadTerms;
  readonly origin: string | null;
}

/** `passes`: whether a request passes a rule that limits, authenticates or challenges. */
export function interpret(
  { rules }: RulesDocument,
  request: ReferenceRequest,
  passes: (rule: Rule) => boolean = () => true,
): Outcome {
  const matched: number[] = [];
  const outcome = {
    stoppedBy: null as number | null,
    requestHeaders: {} as Record<string, string | null>,
    responseHeaders: {} as Record<string, string | null>,
    target: request.target,
    cache: null as Outcome['cache'],
    isUncompressed: false,
    uploads: { maxSize: null, buffer: null } as UploadTerms,
    origin: null as string | null,
  };
  for (const [number, rule] of rules.entries()) {
    if (rule.enabled === false) continue;
    if (!matches(rule.match ?? {}, request)) continue;
    if (rule.except !== undefined && Object.keys(rule.except).length > 0 && matches(rule.except, request)) continue;
    matched.push(number);
    if (rule.dry_run === true) continue;
    const { action } = rule;
    switch (action.type) {
      case 'allow':
      case 'deny':
      case 'redirect':
      case 'error_page':
      case 'respond':
      case 'maintenance':
        return { ...outcome, matched, stoppedBy: number };
      case 'limit':
      case 'basic_auth':
      case 'authenticate':
      case 'challenge':
        if (!passes(rule)) return { ...outcome, matched, stoppedBy: number };
        break;
      case 'rewrite':
        outcome.target = rewritten(rule, action.path, request);
        break;
      case 'set_request_header':
        outcome.requestHeaders[action.name.toLowerCase()] = action.value;
        break;
      case 'remove_request_header':
        outcome.requestHeaders[action.name.toLowerCase()] = null;
        break;
      case 'set_response_header':
        outcome.responseHeaders[action.name.toLowerCase()] = action.value;
        break;
      case 'remove_response_header':
        outcome.responseHeaders[action.name.toLowerCase()] = null;
        break;
      case 'cache':
        outcome.cache = { ttl: action.ttl ?? -1, override: action.override ?? false, max: action.max_ttl ?? -1 };
        break;
      case 'bypass_cache':
        outcome.cache = 'bypass';
        break;
      case 'no_compression':
        outcome.isUncompressed = true;
        break;
      case 'limit_upload':
        outcome.uploads = { ...outcome.uploads, maxSize: action.size };
        break;
      case 'buffer_upload':
        outcome.uploads = { ...outcome.uploads, buffer: action.size };
        break;
      case 'origin':
        outcome.origin = action.name;
        break;
      default:
        action satisfies never;
    }
  }
  return { ...outcome, matched };
}

export function matches(match: RuleMatch, request: ReferenceRequest): boolean {
  const { host, path, method, client, country, header, cookie, query } = match;
  if (host !== undefined && !host.some((pattern) => isHost(pattern.toLowerCase(), request.host))) return false;
  if (path !== undefined && !matchesText(path, plainPath(request.target))) return false;
  if (method !== undefined && !method.includes(request.method)) return false;
  if (client !== undefined && !client.some((network) => isWithin(request.address, network))) return false;
  if (country !== undefined && !country.includes(request.country)) return false;
  const headers = request.headers.map(([name, value]) => [name, value] as const);
  if (!(header ?? []).every((named) => matchesNamed({ ...named, name: named.name.toLowerCase() }, headers, false)))
    return false;
  if (!(cookie ?? []).every((named) => matchesNamed(named, cookiesOf(request), true))) return false;
  return (query ?? []).every((named) => matchesNamed(named, parametersOf(request), true));
}

const isHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;

function matchesNamed(named: NamedMatch, pairs: readonly (readonly [string, string])[], mayBePrefix: boolean): boolean {
  const isNamed = (name: string): boolean =>
    mayBePrefix && named.name.endsWith('*') ? name.startsWith(named.name.slice(0, -1)) : name === named.name;
  const found = pairs.some(([name, value]) => isNamed(name) && matchesText(named, value));
  return named.absent === true ? !found : found;
}

export function matchesText(match: TextMatch, text: string): boolean {
  const ignoreCase = match.ignore_case === true;
  const fold = (value: string): string =>
    ignoreCase ? value.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : value;
  const folded = fold(text);
  const { exact, prefix, suffix, contains, glob, regex } = match;
  if ([exact, prefix, suffix, contains, glob, regex].every((list) => list === undefined)) return true;
  return (
    (exact ?? []).some((value) => folded === fold(value)) ||
    (prefix ?? []).some((value) => folded.startsWith(fold(value))) ||
    (suffix ?? []).some((value) => folded.endsWith(fold(value))) ||
    (contains ?? []).some((value) => folded.includes(fold(value))) ||
    (glob ?? []).some((value) => globRegex(fold(value)).test(folded)) ||
    (regex ?? []).some((value) =>
      RE2JS.compile(value, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
        .matcher(text)
        .find(),
    )
  );
}

function globRegex(glob: string): RegExp {
  const source = glob.replace(/\\(.)|(\*\*+)|(\*)|(\?)|[^\\]/g, (found, escaped, stars, star, mark) => {
    if (stars !== undefined) return '[^]*';
    if (star !== undefined) return '[^/]*';
    if (mark !== undefined) return '[^/]';
    return (escaped ?? found).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  });
  return new RegExp(`^${source}$`);
}

/** Segment by segment. */
export function plainPath(target: string): string {
  const raw = target.split('?')[0];
  const decoded = raw.replace(/%[0-9A-Fa-f]{2}/g, (found) => {
    const code = Number(`0x${found.slice(1)}`);
    return code >= 32 && code <= 126 && found !== '%25' ? String.fromCharCode(code) : found.toUpperCase();
  });
  const isRooted = decoded.startsWith('/') || decoded.startsWith('\\');
  if (!isRooted) return decoded;
  const segments = decoded.replaceAll('\\', '/').split('/').slice(1);
  const kept: string[] = [];
  const last = segments.at(-1)!;
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  const isFolder = last === '' || last === '.' || last === '..';
  return kept.length === 0 ? '/' : `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

function cookiesOf({ headers }: ReferenceRequest): [string, string][] {
  return headers
    .filter(([name]) => name === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair !== '')
    .map((pair) =>
      pair.includes('=') ? [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] : [pair, ''],
    );
}

function parametersOf({ target }: ReferenceRequest): [string, string][] {
  if (!target.includes('?')) return [];
  const decode = (text: string): string =>
    text.replaceAll('+', ' ').replace(/%[0-9A-Fa-f]{2}/g, (found) => {
      const code = Number(`0x${found.slice(1)}`);
      return code >= 32 && code <= 126 ? String.fromCharCode(code) : found.toUpperCase();
    });
  return target
    .slice(target.indexOf('?') + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

/** By the bits of the addresses as text. */
function isWithin(address: string, network: string): boolean {
  const [base, length] = network.split('/');
  const left = bitsOf(address);
  const right = bitsOf(base);
  return (
    left.length === right.length &&
    left.startsWith(right.slice(0, length === undefined ? right.length : Number(length)))
  );
}

function bitsOf(address: string): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const [head, tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = address.includes('::')
    ? [...groups(head), ...new Array<string>(missing).fill('0'), ...groups(tail)]
    : groups(head);
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

/** Only {uri}, {path}, {query}, {host}, {scheme} and {rest}; groups have tests of their own. */
function rewritten(rule: Rule, template: string, { scheme, host, target }: ReferenceRequest): string {
  const [path] = target.split('?');
  const query = target.slice(path.length);
  const prefixes = [...(rule.match?.path?.prefix ?? []), '/'].filter((prefix) => plainPath(target).startsWith(prefix));
  const longest = prefixes.reduce((a, b) => (b.length > a.length ? b : a));
  const rest = spelledRest(path, longest.length);
  const result = template
    .replaceAll('{scheme}', scheme)
    .replaceAll('{host}', host)
    .replaceAll('{path}', path)
    .replaceAll('{uri}', target)
    .replaceAll('{rest}', rest)
    .replaceAll('{query}', query);
  return /\?|\{query\}|\{uri\}/.test(template) ? result : result + query;
}

const SLASH = String.raw`(?:[/\\]|%2F|%5C)`;
const DOT = String.raw`(?:\.|%2E)`;
const anyCase = (source: string): RegExp => new RegExp(source, 'i');

/** The rest of a path as received, behind `length` characters of its plain form. */
function spelledRest(path: string, length: number): string {
  let text = path.replace(anyCase(`(${SLASH}+)${DOT}{1,2}$`), '$&$1');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(anyCase(`${SLASH}+${DOT}(?=${SLASH})`), '');
  }
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(anyCase(`(?:${SLASH}+(?:(?!${SLASH}).)+)?${SLASH}+${DOT}{2}(?=${SLASH})`), '');
  }
  const letters = text.match(/%..|./g) ?? [];
  let count = 0;
  for (let i = 0; i < letters.length; i++) {
    if (count >= length) return letters.slice(i).join('').replaceAll('\\', '%5C');
    const isSlash = anyCase(SLASH).test(letters[i]);
    const repeatsSlash = isSlash && i > 0 && anyCase(SLASH).test(letters[i - 1]);
    if (!repeatsSlash) count += isSlash ? 1 : plainPath(`/_${letters[i]}`).length - 2;
  }
  return '';
}
