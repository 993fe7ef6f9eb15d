/** The endpoints of the protection of a domain's sites. */
import { type TProperties, Type } from '@sinclair/typebox';
import { MAX_AUTHORITIES, MAX_AUTHORITIES_PEM } from '../../../core/site/protection/authorities.ts';
import { checkProtection } from '../../../core/site/protection/check.ts';
import {
  CHALLENGE_MODES,
  CLIENT_CERTIFICATE_MODES,
  fullProtection,
  type ProtectionDocument,
  TLS_VERSIONS,
} from '../../../core/site/protection/document.ts';
import type { Services } from '../../change/services.ts';
import { bodySchema } from '../../http/json-body.ts';
import type { Route } from '../../http/route.ts';
import { integer, list, oneOf, orNull, text } from '../../http/schema.ts';
import { DOCUMENT_FIELDS, documentRoutes } from './documents.ts';

const limit = (maximum: number, description: string) =>
  orNull(integer(1, maximum, description), 'null: only the fair share of the site');
const budget = (minimum: number, maximum: number, description: string) =>
  orNull(integer(minimum, maximum, description), 'null: the setting of the node, which cannot be widened');

const LIMITS = {
  connections: limit(1_000_000, 'TLS connections at one time on a node, from 1 to 1,000,000'),
  new_connections_per_second: limit(100_000, 'new TLS connections per second on a node, from 1 to 100,000'),
  requests_in_flight: limit(1_000_000, 'requests in flight on a node, from 1 to 1,000,000'),
  requests_per_second: limit(1_000_000, 'requests per second on a node, from 1 to 1,000,000'),
};
const SLOW = {
  header_timeout: budget(1, 60, 'seconds for the head of a request, from 1 to 60'),
  idle_timeout: budget(1, 3600, 'seconds that a connection may be open without a request, from 1 to 3600'),
  body_rate: budget(1, 1_000_000, 'bytes per second that the body of a request must bring, from 1 to 1,000,000'),
  read_timeout: budget(1, 600, 'seconds in which a client must read a part of a response, from 1 to 600'),
};
const CHALLENGE = {
  mode: oneOf(CHALLENGE_MODES, '"off", "auto" (while the site gets too many requests), or "on"'),
  difficulty: integer(8, 24, 'zero bits of the proof of work, from 8 to 24; each further bit doubles the work'),
  valid_for: integer(60, 86_400, 'seconds that a visitor who has passed is not challenged, from 60 to 86,400'),
  wait: integer(5, 120, 'seconds that a visitor without JavaScript waits, from 5 to 120'),
  above: integer(1, 1_000_000, 'requests per second on a node above which "auto" challenges, from 1 to 1,000,000'),
  except: list(
    text('a prefix of paths, such as "/api/"', { minLength: 1, maxLength: 512 }),
    'at most 64 prefixes of paths that are never challenged',
    { maxItems: 64 },
  ),
};
const TLS = {
  min_version: oneOf(TLS_VERSIONS, '"1.2" or "1.3"'),
  client_certificates: oneOf(CLIENT_CERTIFICATE_MODES, '"off", "optional" or "required"'),
  client_authorities: orNull(
    text(`PEM of the authorities of clients, ${MAX_AUTHORITIES} certificates at most`, {
      maxLength: MAX_AUTHORITIES_PEM,
    }),
    'null: none',
  ),
};

const group = (properties: TProperties, description: string) =>
  Type.Optional(Type.Object(optional(properties), { description }));
const optional = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]));

export const protectionRoutes = (services: Services): Route[] =>
  documentRoutes(services, {
    kind: 'protection',
    path: 'protection',
    name: 'Protection',
    title: 'protection',
    description:
      'Limits of the sites of a domain on each node, budgets for slow clients, the challenge for visitors, and the demands on TLS. A field that is omitted gets its default. A changed minimum version or list of authorities holds for new requests at once: those over older connections get 421.',
    body: bodySchema(
      Type.Object({
        limits: group(LIMITS, 'an object with the limits on each node'),
        slow: group(SLOW, 'an object with the budgets for slow clients'),
        challenge: group(CHALLENGE, 'an object with the challenge for visitors'),
        tls: group(TLS, 'an object with the demands on TLS'),
        ...DOCUMENT_FIELDS,
      }),
    ),
    view: {
      limits: Type.Object(LIMITS),
      slow: Type.Object(SLOW),
      challenge: Type.Object(CHALLENGE),
      tls: Type.Object(TLS),
    },
    empty: {} as ProtectionDocument,
    faults: ['invalid_protection', 'invalid_authorities'],
    keepsVersions: true,
    check({ limits, slow, challenge, tls }) {
      return checkProtection({ limits, slow, challenge, tls } as ProtectionDocument);
    },
    show: (content) => ({ ...fullProtection(content) }),
  });
