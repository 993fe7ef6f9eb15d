/** Components that all endpoints share: headers, parameters, errors and security schemes. */
import { Type } from '@sinclair/typebox';
import { list, text } from '../../../core/base/schema.ts';
import { REVISION } from '../revision.ts';
import type { Tag } from '../route.ts';
import type { Part } from './schemas.ts';

const pointer = Type.Optional(text('a JSON pointer (RFC 6901) to the field of the body that is wrong'));
const choices = Type.Optional(list(Type.String(), 'values of the field that would be accepted; choose one'));

/** See http/errors.ts. */
export const errorSchema = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Object({
      code: text('for programs; stable'),
      message: text('for people: what is wrong and what to do'),
      pointer,
      choices,
      details: Type.Optional(
        list(
          Type.Object({
            message: Type.String(),
            pointer,
            choices,
            line: Type.Optional(Type.Integer({ minimum: 1, description: 'the line of the file, from 1' })),
            code: Type.Optional(text('the rule that a package breaks')),
            file: Type.Optional(text('the file of a package')),
            fix: Type.Optional(text('what to do instead')),
          }),
          'all errors, when there are several',
        ),
      ),
    }),
    request_id: text('the X-Request-Id; include it when you ask for help'),
  },
  { title: 'Error' },
);

export const TAGS: Readonly<Record<Tag, string>> = {
  tokens: 'Log in with a password to get a token; list and revoke tokens.',
  sessions: 'Sign in to the dashboard with a cookie; list sessions and sign out.',
  accounts: 'The account of the token, and, for administrators, all accounts.',
  domains: 'The zones of an account.',
  dnssec: 'Signatures of a domain, its keys, and the DS records at its parent zone.',
  records: 'The records of a domain: one at a time, in a batch, or as a zone file.',
  proxy: 'Whether the edge proxies a domain, and its origin and certificate.',
  webhooks: 'Webhooks: signed events that are sent to a URL, their deliveries and replays.',
  packages: 'Mini-app packages: uploaded, audited, reviewed, published.',
  operations: 'The audit log, the state of changes, and health and metrics of a node.',
};

const header = (description: string, schema: Part = { type: 'string' }): Part => ({ description, schema });

export const HEADERS = {
  'X-Request-Id': header('The id of the request in the log and in the audit log.'),
  [REVISION]: header('The sequence number of the change; GET /api/v1/changes/{seq} lists the nodes that serve it.', {
    type: 'integer',
    minimum: 1,
  }),
  'Idempotent-Replayed': header('This is the stored response to an earlier request with the same Idempotency-Key.', {
    const: 'true',
  }),
  ETag: header('The revision of the domain or document, for If-Match.'),
  Link: header('The URL of the next page (RFC 8288).'),
  RateLimit: header(
    'The remaining quota: `"<name>";r=<requests>;t=<seconds until the quota is full, or until the next request is allowed>`.',
  ),
  'RateLimit-Policy': header('The limit: `"<name>";q=<requests>;w=<seconds>`.'),
  'Retry-After': header('Seconds to wait before a retry; wait longer after each failure.', {
    type: 'integer',
    minimum: 1,
  }),
  'WWW-Authenticate': header('`Bearer`.'),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const headerRefs = (names: readonly HeaderName[]): Part =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Parameters in request headers. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of an earlier read: the write fails with 412 when the domain or document has changed since.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last received event: the stream continues after it. Browsers send it automatically.',
    schema: { type: 'string' },
  },
} as const;

export const parameterRef = (name: keyof typeof PARAMETERS): Part => ({ $ref: `#/components/parameters/${name}` });

export const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token from POST /api/v1/auth/token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-waypost_session',
    description:
      'The cookie from POST /api/v1/session; without TLS its name is `waypost_session`. All methods except GET also need the header X-Waypost-CSRF with the `csrf_token` of the session.',
  },
} as const;
