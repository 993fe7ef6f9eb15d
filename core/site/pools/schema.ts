/**
 * Schema of the origins document. The descriptions are for the API; the code reads the types of
 * document.ts.
 */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { flag, integer, list, oneOf, orNull, text } from '../../base/schema.ts';
import { DEFAULTS, LIMITS } from './limits.ts';

const seconds = (least: number, most: number, of: string) =>
  integer(least, most, `a whole number of seconds from ${least} to ${most}, ${of}`);
const nullable = <T extends TSchema>(schema: T, otherwise: string) =>
  orNull(schema, `null, or ${schema.description}; null: ${otherwise}`);

const ORIGIN = {
  origin: text('a string, a public IPv4 or IPv6 address or a host name, such as "origin.example.net"', {
    minLength: 1,
    maxLength: 1024,
  }),
};
const PLACE = {
  port: integer(1, 65_535, 'a whole number from 1 to 65535; the default is 443, or 80 with the protocol http'),
  protocol: oneOf(['http', 'https'], '"http" or "https"; the default follows from port 80 or 443'),
  weight: integer(
    0,
    LIMITS.weight,
    `a whole number from 0 to ${LIMITS.weight}, its part of the requests; 0: only visitors who are already kept there; the default is 1`,
  ),
};

const HEALTH = {
  path: text('a path, such as "/up"', { minLength: 1, maxLength: LIMITS.pathLength }),
  status: nullable(integer(100, 599, 'the expected status'), '200 to 399'),
  interval: seconds(LIMITS.interval.least, LIMITS.interval.most, 'the time between two checks'),
  timeout: seconds(LIMITS.timeout.least, LIMITS.timeout.most, 'the time for one check'),
  rise: integer(1, LIMITS.threshold, 'the successes in a row after which an origin is up again'),
  fall: integer(1, LIMITS.threshold, 'the failures in a row after which an origin is down'),
};
const EJECTION = {
  failures: integer(1, 1000, 'the failures in a row after which an origin is ejected'),
  error_rate: integer(1, 100, 'the percentage of failed requests in ten seconds from which an origin is ejected'),
  min_requests: integer(1, 10_000, 'the requests in ten seconds below which error_rate does not count'),
  duration: seconds(1, 3600, 'the first ejection; each further one is twice as long, up to eight times'),
};
const RETRIES = {
  attempts: integer(1, LIMITS.attempts, `a whole number from 1 to ${LIMITS.attempts}, the attempts of one request`),
  budget: integer(0, 100, 'the percentage of requests that may be sent again; 0: none'),
};
const BALANCE = {
  balance: oneOf(
    ['round_robin', 'least_connections'],
    '"round_robin": in turns by weight; "least_connections": the origin with the fewest requests in flight for its weight; the default is "round_robin"',
  ),
  slow_start: nullable(
    seconds(1, LIMITS.slowStart, 'in which the share of an origin that is new or up again grows to its weight'),
    'the whole share at once',
  ),
};
const TOKEN = { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" };
const BY = {
  by: oneOf(
    ['cookie', 'client', 'header', 'cookie_hash'],
    '"cookie": a cookie that the edge sets; "client", "header" or "cookie_hash": a hash of the address of the visitor, of the field "header", or of the cookie "cookie" that the application sets; requests without it are balanced',
  ),
};
const COOKIE = {
  cookie: text('the name of the cookie', TOKEN),
  header: nullable(text('the name of the header field that is hashed', TOKEN), 'none'),
  max_age: nullable(seconds(1, 31_536_000, 'the lifetime of the cookie'), 'until the browser is closed'),
};
const CERTIFICATE = {
  certificate: text('the client certificate in PEM form, with its chain, leaf first', {
    examples: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n'],
    minLength: 1,
    maxLength: LIMITS.pem,
  }),
};
const KEY = text('its private key in PEM form; stored encrypted and never shown; omit it to keep the key', {
  minLength: 1,
  maxLength: LIMITS.pem,
});

const NAMED = {
  name: nullable(
    text('a name relative to the domain: "@", "www", "*.dev", or "*" for every name', { minLength: 1, maxLength: 253 }),
    '"*", or no requests but those of rules for an entry with a label and without path',
  ),
  path: nullable(
    text('the start of paths, in whole segments, such as "/api"', { minLength: 1, maxLength: LIMITS.pathLength }),
    '"/", or as for name',
  ),
  label: nullable(text('a name by which rules send requests here', { pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' }), 'none'),
};
const CONNECTION = {
  stale_when_down: flag(
    'true or false, whether stale responses of the cache are served when all origins are down; the default is true',
  ),
  host: nullable(text('the Host field that the origins receive', { maxLength: 260 }), "the visitor's"),
  server_name: nullable(
    text('the name for SNI and for the verification of the certificate', { maxLength: 253 }),
    'the host name of the origin',
  ),
  version: oneOf(
    ['1.1', '2', 'h2c'],
    'the version of HTTP to the origins: "1.1", "2", or "h2c" (HTTP/2 without TLS); the default is "1.1"',
  ),
  proxy_protocol: oneOf(
    ['none', 'v1', 'v2'],
    'the PROXY protocol, which states the address of the visitor at the beginning of a connection to the origins: "none", "v1" or "v2"; it needs the version "1.1", and each request has a connection of its own; the default is "none"',
  ),
  ca: nullable(
    text('the certificate authorities of the origins in PEM form, in place of the public ones', {
      maxLength: LIMITS.pem,
    }),
    'the public ones',
  ),
  pins: nullable(
    list(
      text('the SHA-256 of a public key (SubjectPublicKeyInfo) in base64', { maxLength: 44 }),
      `at most ${LIMITS.pins} pins; the key of the origin must be one of them, and its certificate is not verified otherwise, unless ca is set`,
      { minItems: 1, maxItems: LIMITS.pins },
    ),
    'any key',
  ),
  connect_timeout: nullable(seconds(1, LIMITS.connectTimeout, 'for a connection'), 'edge.origin_connect_timeout'),
  response_timeout: nullable(
    seconds(1, LIMITS.responseTimeout, 'until the head of the response'),
    'edge.origin_header_timeout',
  ),
};

const withDefault = (what: string, defaults: object) =>
  `${what}; the defaults are ${JSON.stringify(defaults).replaceAll('"', '').replaceAll(',', ', ')}`;
const TEXTS = {
  pool: `a list of 1 to ${LIMITS.pool} origins`,
  health: withDefault('an object, the health check of the origins', DEFAULTS.health),
  ejection: withDefault('an object, when an origin is ejected because requests fail', DEFAULTS.ejection),
  retries: withDefault('an object, how requests are sent again', DEFAULTS.retries),
  sticky: withDefault('an object, how visitors are kept at one origin', DEFAULTS.sticky),
  certificate: 'an object, the certificate that the edge presents to the origins',
  origins: `a list of at most ${LIMITS.entries} entries; the longest name wins, then the longest path`,
};

const POOL_LIMITS = { minItems: 1, maxItems: LIMITS.pool };
const ENTRY_LIMITS = { maxItems: LIMITS.entries };

export const entryView = Type.Object(
  {
    ...NAMED,
    pool: list(Type.Object({ ...ORIGIN, ...PLACE }, { title: 'PoolOrigin' }), TEXTS.pool, POOL_LIMITS),
    health: nullable(Type.Object(HEALTH, { title: 'OriginHealthCheck', description: TEXTS.health }), 'no checks'),
    ejection: nullable(Type.Object(EJECTION, { title: 'OriginEjection', description: TEXTS.ejection }), 'never'),
    ...BALANCE,
    sticky: nullable(Type.Object({ ...BY, ...COOKIE }, { title: 'StickyOrigins', description: TEXTS.sticky }), 'not'),
    retries: Type.Object(RETRIES, { title: 'OriginRetries', description: TEXTS.retries }),
    ...CONNECTION,
    client_certificate: nullable(
      Type.Object(CERTIFICATE, { title: 'OriginClientCertificate', description: TEXTS.certificate }),
      'none',
    ),
  },
  { title: 'OriginsEntry' },
);

const partial = <P extends TProperties>(properties: P, description: string) =>
  Type.Partial(Type.Object(properties), { description });

export const entryBody = Type.Object({
  ...Type.Partial(Type.Object({ ...NAMED, ...BALANCE, ...CONNECTION })).properties,
  pool: list(Type.Object({ ...ORIGIN, ...Type.Partial(Type.Object(PLACE)).properties }), TEXTS.pool, POOL_LIMITS),
  health: Type.Optional(nullable(partial(HEALTH, TEXTS.health), 'no checks')),
  ejection: Type.Optional(nullable(partial(EJECTION, TEXTS.ejection), 'never')),
  sticky: Type.Optional(
    nullable(
      Type.Object({ ...BY, ...Type.Partial(Type.Object(COOKIE)).properties }, { description: TEXTS.sticky }),
      'not',
    ),
  ),
  retries: Type.Optional(partial(RETRIES, TEXTS.retries)),
  client_certificate: Type.Optional(
    nullable(
      Type.Object({ ...CERTIFICATE, private_key: Type.Optional(KEY) }, { description: TEXTS.certificate }),
      'none',
    ),
  ),
});

export const originsView = { origins: list(entryView, TEXTS.origins, ENTRY_LIMITS) };

export const originsBody = { origins: list(entryBody, TEXTS.origins, ENTRY_LIMITS) };
