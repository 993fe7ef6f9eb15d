/** Checks a steering document, completes it, and derives the plain choice of its record set. */
import { InvalidError } from '../../../core/base/errors.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import type { Name } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import {
  type Exemptions,
  isDocumentation,
  mayConnect,
  parseAddress,
  parsePrefix,
  readHost,
} from '../../../core/net/address/index.ts';
import { CONTINENTS } from '../../../core/net/geography/place.ts';
import type { SteeringContent, SteeringHealth, SteeringMatch, SteeringPool } from '../../../core/store/rows.ts';
import type { BodyOf } from '../../http/json-body.ts';
import { parseContent } from '../records/content.ts';
import { checkRecord } from '../records/rules/record.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import type { steeringBody } from './schema.ts';

export type SteeringBody = Pick<BodyOf<typeof steeringBody>, 'ttl' | 'pools' | 'rules' | 'fallback'>;

const invalid = (message: string, pointer: string): InvalidError =>
  new InvalidError('invalid_steering', message, { pointer });

/** The record set of a document, and the private addresses that may be checked. */
export interface SteeringContext {
  readonly apex: Name;
  readonly name: Name;
  readonly type: number;
  readonly allowPrivate: Exemptions;
}

/** Throws InvalidError with a pointer to the field. */
export function readSteering(body: SteeringBody, { apex, name, type, allowPrivate }: SteeringContext): SteeringContent {
  const pools = body.pools.map(
    (pool, i): SteeringPool => ({
      name: pool.name,
      answers: pool.answers.map(({ content, weight = 1 }, k) => ({
        content: readContent(apex, name, type, content, `/pools/${i}/answers/${k}/content`),
        weight,
      })),
      health: completeHealth(pool.health, `/pools/${i}/health`),
    }),
  );
  for (const [i, { answers, health }] of pools.entries())
    for (const [k, { content }] of health === null ? [] : answers.entries())
      requireCheckable(content, allowPrivate, `/pools/${i}/answers/${k}/content`);
  const names = new Set<string>();
  for (const [i, pool] of pools.entries()) {
    if (names.has(pool.name)) throw invalid(`Two pools have the name "${pool.name}".`, `/pools/${i}/name`);
    names.add(pool.name);
    const contents = new Set(pool.answers.map(({ content }) => content));
    if (contents.size < pool.answers.length)
      throw invalid('The pool has the same answer twice; give it the sum of the weights.', `/pools/${i}/answers`);
    if (pool.answers.every(({ weight }) => weight === 0))
      throw invalid('At least one answer of the pool needs a weight above 0.', `/pools/${i}/answers`);
  }
  const count = pools.reduce((sum, { answers }) => sum + answers.length, 0);
  if (count > LIMITS.allAnswers)
    throw invalid(`The pools have ${count} answers together; the maximum is ${LIMITS.allAnswers}.`, '/pools');
  const requirePool = (pool: string, pointer: string): string => {
    if (names.has(pool)) return pool;
    throw invalid(`There is no pool "${pool}"; the pools are ${[...names].join(', ')}.`, pointer);
  };
  const rules = (body.rules ?? []).map(({ match, pool }, i) => ({
    match: readMatch(match, `/rules/${i}/match`),
    pool: requirePool(pool, `/rules/${i}/pool`),
  }));
  const networks = rules.reduce((sum, { match }) => sum + match.network.length, 0);
  if (networks > LIMITS.networks)
    throw invalid(`The rules have ${networks} networks together; the maximum is ${LIMITS.networks}.`, '/rules');
  const regions = new Set(rules.flatMap(({ match }) => match.region)).size;
  if (regions > LIMITS.regions)
    throw invalid(`The rules have ${regions} different regions; the maximum is ${LIMITS.regions}.`, '/rules');
  const fallback = (body.fallback ?? []).map((pool, i) => requirePool(pool, `/fallback/${i}`));
  return {
    ttl: body.ttl ?? DEFAULTS.ttl,
    pools,
    rules,
    fallback: fallback.length > 0 ? fallback : pools.map((pool) => pool.name),
  };
}

/** The content in canonical form. */
function readContent(apex: Name, name: Name, type: number, content: string, pointer: string): string {
  try {
    const rdata = parseContent(type, content, undefined, apex);
    checkRecord(apex, { name, type, rdata }, []);
    return formatRdata(type, rdata);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError(error.code, error.message, { pointer: error.pointer === '/name' ? '/name' : pointer });
  }
}

function completeHealth(health: SteeringBody['pools'][number]['health'], pointer: string): SteeringHealth | null {
  if (health == null) return null;
  const { type, host, path, status, interval, timeout, rise, fall } = DEFAULTS.health;
  const own = health.type ?? type;
  const complete = {
    type: own,
    port: health.port ?? (own === 'http' ? 80 : 443),
    host: health.host === undefined ? host : health.host,
    path: health.path ?? path,
    status: health.status === undefined ? status : health.status,
    interval: health.interval ?? interval,
    timeout: health.timeout ?? timeout,
    rise: health.rise ?? rise,
    fall: health.fall ?? fall,
  };
  if (complete.host !== null && !/^[a-z0-9_]([a-z0-9._-]*[a-z0-9])?$/i.test(complete.host))
    throw invalid('The host is not a host name.', `${pointer}/host`);
  if (complete.timeout > complete.interval)
    throw invalid('The timeout is longer than the interval.', `${pointer}/timeout`);
  return complete;
}

/**
 * Throws InvalidError `private_origin` for a target that checks never reach, as for origins.
 * Addresses of documentation are allowed: nothing has them, so that their checks only fail.
 */
function requireCheckable(content: string, allowPrivate: Exemptions, pointer: string): void {
  const address = parseAddress(content);
  if (address === undefined) {
    try {
      readHost(content.replace(/\.$/, ''), allowPrivate);
    } catch (error) {
      if (!(error instanceof InvalidError) || error.code !== 'private_origin') throw error;
      throw notCheckable(error.message, pointer);
    }
    return;
  }
  const verdict = mayConnect(address, allowPrivate);
  if (verdict.public || isDocumentation(address)) return;
  throw notCheckable(`${content} ${verdict.reason}.`, pointer);
}

const notCheckable = (reason: string, pointer: string): InvalidError =>
  new InvalidError('private_origin', `${reason} It cannot be checked; set "health" of its pool to null.`, { pointer });

type MatchBody = NonNullable<SteeringBody['rules']>[number]['match'];

function readMatch(match: MatchBody, pointer: string): SteeringMatch {
  const read = (field: keyof MatchBody, canonical: (text: string, at: string) => string): string[] => {
    const values = match[field] ?? [];
    const texts = typeof values === 'string' ? [values] : values;
    const at = (i: number): string => (typeof values === 'string' ? `${pointer}/${field}` : `${pointer}/${field}/${i}`);
    return [...new Set(texts.map((text, i) => canonical(text, at(i))))];
  };
  return {
    country: read('country', (text, at) => {
      if (/^[a-z]{2}$/i.test(text)) return text.toUpperCase();
      throw invalid(`"${text}" is not a country; use an ISO 3166 code of two letters such as DE.`, at);
    }),
    continent: read('continent', (text, at) => {
      const code = text.toUpperCase();
      if ((CONTINENTS as readonly string[]).includes(code)) return code;
      throw invalid(`"${text}" is not a continent; use one of ${CONTINENTS.join(', ')}.`, at);
    }),
    network: read('network', (text, at) => parsePrefix(text, at).text),
    region: read('region', (text) => text),
  };
}

/**
 * The rdata of the plain choice: the answers of the first pool of the fall-back that may be picked;
 * of a type that a name has once, the one with the highest weight.
 */
export function plainChoice({ pools, fallback }: SteeringContent, type: number): Uint8Array[] {
  const pool = pools.find(({ name }) => name === fallback[0])!;
  const answers = pool.answers.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const chosen = type === TYPE.A || type === TYPE.AAAA ? answers : answers.slice(0, 1);
  const rdatas = new Map(
    chosen.map(({ content }) => {
      const rdata = parseContent(type, content, undefined, Uint8Array.of(0));
      return [latin1(rdata), rdata] as const;
    }),
  );
  return [...rdatas.values()];
}

export const countAnswers = ({ pools }: SteeringContent): number =>
  pools.reduce((sum, { answers }) => sum + answers.length, 0);

/** The number of answers that a node checks. */
export const checkedAnswers = ({ pools }: SteeringContent): number =>
  pools.reduce((sum, { answers, health }) => sum + (health === null ? 0 : answers.length), 0);
