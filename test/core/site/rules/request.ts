/** Requests of tests of rules, and the outcome of a compiled document in the reference's form. */
import { type Changes, RequestFacts, type Rule, type RuleSet } from '../../../../core/site/rules/index.ts';
import type { Outcome, ReferenceRequest } from '../../../reference/rules.ts';

/** `POST https://www.example.com/path?query | cookie: a=1 | from 192.0.2.1 | in DE`. */
export function requestOf(text: string): ReferenceRequest {
  const [line, ...parts] = text.split(' | ');
  const [, method, scheme, host, target] = /^(?:([A-Z]+) )?(?:(https?):\/\/([^/]+))?(.*)$/.exec(line)!;
  const headers: [string, string][] = [];
  let address = '192.0.2.1';
  let country = '';
  for (const part of parts)
    if (part.startsWith('from ')) address = part.slice(5);
    else if (part.startsWith('in ')) country = part.slice(3);
    else headers.push([part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 2)]);
  return {
    method: method ?? 'GET',
    scheme: (scheme as 'http' | undefined) ?? 'https',
    host: host ?? 'www.example.com',
    target,
    headers,
    address,
    country,
  };
}

let country = '';
const facts = new RequestFacts(() => country);

export function openFacts(request: ReferenceRequest): RequestFacts {
  country = request.country;
  facts.open(
    { method: request.method, path: request.target, headers: request.headers.flat() },
    request.host,
    request.address,
  );
  return facts;
}

const PASSED: ReadonlySet<string> = new Set(['limit', 'basic_auth', 'authenticate', 'challenge']);

export function outcomeOf(
  set: RuleSet,
  request: ReferenceRequest,
  passes: (rule: Rule) => boolean = () => true,
): Outcome {
  const opened = openFacts(request);
  const before = [...set.matched];
  let stopped = set.run(opened);
  while (stopped >= 0) {
    const { action, rule, isDryRun } = set.rules[stopped];
    if (!isDryRun && !(PASSED.has(action.type) && passes(rule))) break;
    stopped = set.run(opened, stopped + 1, set.changes);
  }
  const { changes } = set;
  return {
    matched: [...set.matched].flatMap((count, number) => (count > before[number] ? [number] : [])),
    stoppedBy: stopped < 0 ? null : set.rules[stopped].number,
    requestHeaders: asRecord(changes.requestHeaders),
    responseHeaders: asRecord(changes.responseHeaders),
    target: changes.targetOf(request.scheme, request.host, request.target),
    cache: cacheOf(changes),
    isUncompressed: changes.isUncompressed,
    uploads: changes.uploads,
    origin: changes.origin,
  };
}

const asRecord = (changes: Changes['requestHeaders']): Record<string, string | null> =>
  Object.fromEntries(changes.map(({ name, value }) => [name, value]));

function cacheOf({ bypassesCache, cache }: Changes): Outcome['cache'] {
  if (bypassesCache) return 'bypass';
  return cache === null ? null : { ttl: cache.ttl, override: cache.overrides, max: cache.maxTtl };
}
