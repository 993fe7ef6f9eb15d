/** Schemas of steering: the document of a record set, its health, and what a client would get. */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  count,
  flag,
  id,
  integer,
  line,
  list,
  oneOf,
  orNull,
  readOnly,
  text,
  time,
} from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { MAX_TTL, MIN_TTL } from '../records/content.ts';
import { DEFAULTS, LIMITS } from './limits.ts';

const poolName = (description: string) => ({ ...line(1, LIMITS.name, description), examples: ['europe'] });
const seconds = (least: number, most: number, of: string) =>
  integer(least, most, `a whole number of seconds from ${least} to ${most}, ${of}`);

const HEALTH = {
  type: oneOf(
    ['http', 'https', 'tcp'],
    `"http" or "https": a GET; "tcp": a connection; the default is "${DEFAULTS.health.type}"`,
  ),
  port: integer(1, 65_535, 'a port; the default is 80 for http, else 443'),
  host: orNull(text('the Host field and the name in TLS', { maxLength: 253 }), 'null: the owner name of the set'),
  path: text('a path, such as "/up"', { minLength: 1, maxLength: LIMITS.pathLength, pattern: '^/[\\x21-\\x7e]*$' }),
  status: orNull(integer(100, 599, 'the expected status'), 'null, or the expected status; null: 200 to 399'),
  interval: seconds(LIMITS.interval.least, LIMITS.interval.most, 'the time between two checks'),
  timeout: seconds(LIMITS.timeout.least, LIMITS.timeout.most, 'the time for one check'),
  rise: integer(1, LIMITS.threshold, 'the successes in a row after which an answer is up again'),
  fall: integer(1, LIMITS.threshold, 'the failures in a row after which an answer is down'),
};
const HEALTH_TEXT = 'how each node checks the answers of the pool; null: not at all';

const CONTENT = {
  content: text('the content as in a record of the type: an address, or a host name', {
    examples: ['192.0.2.1'],
    minLength: 1,
    maxLength: 1024,
  }),
};
const WEIGHT = integer(
  0,
  LIMITS.weight,
  `its part of the responses, 0 to ${LIMITS.weight}; 0: never; the default is 1`,
);

const value = (of: string, maxLength: number) => text(of, { minLength: 1, maxLength });
const VALUES = {
  country: { item: value('an ISO 3166 code such as "DE"', 2), text: 'countries of the client' },
  continent: { item: value('AF, AN, AS, EU, NA, OC or SA', 2), text: 'continents of the client' },
  network: { item: value('a network such as "192.0.2.0/24"', 64), text: 'networks of the client' },
  region: { item: value('a region of the nodes, as in peer.region', 32), text: 'regions of the node that answers' },
};
const inBody = <T extends TSchema>({ item, text: of }: { readonly item: T; readonly text: string }) =>
  Type.Optional(
    Type.Union([item, list(item, of, { maxItems: LIMITS.list }), Type.Null()], {
      description: `${of}: one, or a list, any of them; omitted or null: all clients`,
    }),
  );
const inView = <T extends TSchema>({ item, text: of }: { readonly item: T; readonly text: string }) =>
  list(item, `${of}, any of them; empty: all clients`);

const POOLS = { minItems: 1, maxItems: LIMITS.pools };
const POOLS_TEXT = `1 to ${LIMITS.pools} pools`;
const ANSWERS = { minItems: 1, maxItems: LIMITS.answers };
const ANSWERS_TEXT = 'answers of which each response has one, by weight';
const RULES_TEXT = `at most ${LIMITS.rules} rules; the first whose match holds and whose pool is up decides`;
const FALLBACK_TEXT =
  'names of pools: the first that is up answers clients without a rule; omitted or empty: all pools, in order';

const ttl = integer(MIN_TTL, MAX_TTL, `seconds for which clients cache an answer; the default is ${DEFAULTS.ttl}`);

const document = {
  ttl: Type.Optional(ttl),
  pools: list(
    Type.Object({
      name: poolName('the name of the pool'),
      answers: list(Type.Object({ ...CONTENT, weight: Type.Optional(WEIGHT) }), ANSWERS_TEXT, ANSWERS),
      health: Type.Optional(orNull(Type.Partial(Type.Object(HEALTH), { description: HEALTH_TEXT }), HEALTH_TEXT)),
    }),
    POOLS_TEXT,
    POOLS,
  ),
  rules: Type.Optional(
    list(
      Type.Object({
        match: Type.Object(
          {
            country: inBody(VALUES.country),
            continent: inBody(VALUES.continent),
            network: inBody(VALUES.network),
            region: inBody(VALUES.region),
          },
          { description: 'conditions of which all hold; without any: every client' },
        ),
        pool: poolName('the name of a pool'),
      }),
      RULES_TEXT,
      { maxItems: LIMITS.rules },
    ),
  ),
  fallback: Type.Optional(list(poolName('the name of a pool'), FALLBACK_TEXT, { maxItems: LIMITS.pools })),
};

/** A client can PUT the response of a GET. */
export const steeringBody = bodySchema(
  Type.Object({ ...document, ...readOnly('name', 'type', 'revision', 'updated_at', 'health') }),
);

const view = {
  name: Type.String({ description: 'the owner name, relative to the domain', examples: ['www'] }),
  type: Type.String({ description: 'the type of the record set', examples: ['A'] }),
  ttl,
  pools: list(
    Type.Object(
      {
        name: poolName('the name of the pool'),
        answers: list(Type.Object({ ...CONTENT, weight: WEIGHT }, { title: 'SteeredAnswer' }), ANSWERS_TEXT),
        health: orNull(Type.Object(HEALTH, { title: 'SteeringHealthCheck', description: HEALTH_TEXT }), HEALTH_TEXT),
      },
      { title: 'SteeringPool' },
    ),
    POOLS_TEXT,
  ),
  rules: list(
    Type.Object(
      {
        match: Type.Object(
          {
            country: inView(VALUES.country),
            continent: inView(VALUES.continent),
            network: inView(VALUES.network),
            region: inView(VALUES.region),
          },
          { title: 'SteeringMatch' },
        ),
        pool: poolName('the name of a pool'),
      },
      { title: 'SteeringRule' },
    ),
    RULES_TEXT,
  ),
  fallback: list(poolName('the name of a pool'), FALLBACK_TEXT),
  revision: Type.Integer({ minimum: 1, description: 'counts the changes of the document' }),
  updated_at: time('when it was last set'),
};

export const steeringVersionResponse = Type.Object(view);

export const steeringResponse = Type.Object({
  ...view,
  health: list(
    Type.Object(
      {
        pool: poolName('the name of the pool'),
        content: Type.String({ description: 'the answer', examples: ['192.0.2.1'] }),
        is_up: orNull(flag('whether it is up'), 'whether it is up; null: not known yet, which counts as up'),
        since: orNull(time('the time of the last change'), 'null: not known yet'),
        reason: orNull(Type.String(), 'why it is down; null: it is not'),
      },
      { title: 'SteeredAnswerHealth' },
    ),
    'the checked answers, as this node sees them',
  ),
});

export const steeringsResponse = Type.Object({
  steering: list(
    Type.Object({ name: view.name, type: view.type, revision: view.revision, updated_at: view.updated_at }),
    'the steered record sets of the domain, by name',
  ),
});

export const steeringVersionsResponse = Type.Object({
  versions: list(
    Type.Object(
      {
        revision: count('the number of the version'),
        is_current: flag('whether it is the current version'),
        updated_at: time('when it was set'),
        actor: Type.Object({
          id: id('the account that set it'),
          username: Type.String({ examples: ['alice'] }),
          token_name: orNull(text('the label of the token', { examples: ['laptop'] }), 'null: it has none'),
        }),
      },
      { title: 'SteeringVersion' },
    ),
    'the versions, newest first',
  ),
});

const setName = text('the owner name of one record set, relative to the domain', { minLength: 1, maxLength: 1024 });
const setType = text('its type, such as "A"', { minLength: 1, maxLength: 10 });

export const steeringTestBody = bodySchema(
  Type.Object({
    client: text('the address that the query comes from: of the resolver', { minLength: 1, maxLength: 64 }),
    ecs: Type.Optional(
      orNull(
        text('the client subnet of the query (RFC 7871), such as "198.51.100.0/24"', { minLength: 1, maxLength: 64 }),
        'the client subnet of the query (RFC 7871), such as "198.51.100.0/24"; null or omitted: none',
      ),
    ),
    name: Type.Optional(setName),
    type: Type.Optional(setType),
    steering: Type.Optional(
      Type.Object(document, { description: 'a document to try in place of the stored one; it needs name and type' }),
    ),
  }),
);

export const steeringTestResponse = Type.Object({
  client: Type.Object({
    address: Type.String({
      description: 'the address that decides: of the client subnet, else of the resolver',
      examples: ['198.51.100.0'],
    }),
    country: orNull(Type.String(), 'its country; null: not known'),
    continent: orNull(Type.String(), 'its continent; null: not known'),
    region: orNull(Type.String(), 'the region of the node that answers; null: it has none'),
  }),
  results: list(
    Type.Object(
      {
        name: view.name,
        type: view.type,
        pool: poolName('the pool that answers'),
        rule: orNull(count('the number of the rule that chose it, from 0'), 'null: no rule did'),
        answer: Type.String({
          description: 'the answer; of several, the one that most clients get',
          examples: ['192.0.2.1'],
        }),
        answers: list(
          Type.Object({
            content: CONTENT.content,
            share: Type.Number({ minimum: 0, maximum: 1, description: 'the part of the responses that have it' }),
          }),
          'all answers that may be picked',
        ),
        reason: Type.String({
          description: 'why, as a sentence',
          examples: ['The rule for Europe matches, and the pool is up.'],
        }),
        scope: orNull(
          integer(0, 128, 'the scope prefix length of the response'),
          'the scope prefix length of the response; null: the query has no client subnet',
        ),
        is_proxied: flag('true: the name goes through the proxy, so the steering has no effect'),
      },
      { title: 'SteeringTestResult' },
    ),
    'what the client gets, for each steered record set that was asked for',
  ),
});
