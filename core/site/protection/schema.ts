/** Schema of the protection document. */
import { type TProperties, Type } from '@sinclair/typebox';
import { integer, list, oneOf, orNull, text } from '../../base/schema.ts';
import { MAX_UPLOAD, MAX_UPLOAD_BUFFER } from '../uploads.ts';
import { MAX_AUTHORITIES, MAX_AUTHORITIES_PEM } from './authorities.ts';

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
const UPLOADS = {
  max_size: orNull(
    integer(0, MAX_UPLOAD, 'bytes of a request body, from 0 to 1,099,511,627,776; larger ones get 413'),
    'null: no limit',
  ),
  buffer: orNull(
    integer(
      0,
      MAX_UPLOAD_BUFFER,
      'bytes of a request body that are received before the request is sent to the origin, from 0 to 10,485,760',
    ),
    'null: 65,536, or fewer while the visitor sends nothing',
  ),
};
const CHALLENGE = {
  mode: oneOf(['off', 'auto', 'on'], '"off", "auto" (while the site gets too many requests), or "on"'),
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
  min_version: oneOf(['1.2', '1.3'], '"1.2" or "1.3"'),
  client_certificates: oneOf(['off', 'optional', 'required'], '"off", "optional" or "required"'),
  client_authorities: orNull(
    text(`PEM of the authorities of clients, ${MAX_AUTHORITIES} certificates at most`, {
      maxLength: MAX_AUTHORITIES_PEM,
    }),
    'null: none',
  ),
};

const group = <P extends TProperties>(properties: P, description: string) =>
  Type.Optional(Type.Object(Type.Partial(Type.Object(properties)).properties, { description }));

/** Omitted fields have their defaults. */
export const protectionBody = {
  limits: group(LIMITS, 'an object with the limits on each node'),
  slow: group(SLOW, 'an object with the budgets for slow clients'),
  uploads: group(UPLOADS, 'an object with the size and the buffer of request bodies'),
  challenge: group(CHALLENGE, 'an object with the challenge for visitors'),
  tls: group(TLS, 'an object with the demands on TLS'),
};

export const protectionView = {
  limits: Type.Object(LIMITS),
  slow: Type.Object(SLOW),
  uploads: Type.Object(UPLOADS),
  challenge: Type.Object(CHALLENGE),
  tls: Type.Object(TLS),
};
