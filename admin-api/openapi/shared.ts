/** What all endpoints have in common, written once: headers, parameters, errors, who may call. */
import { Type } from '@sinclair/typebox';
import { REVISION } from '../http/revision.ts';
import type { Tag } from '../http/route.ts';
import { list, text } from '../http/schema.ts';
import type { Part } from './schemas.ts';

const pointer = Type.Optional(text('a JSON pointer (RFC 6901) to the field of the body that it is about'));

/** See http/errors.ts. */
export const errorSchema = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Object({
      code: text('what programs look at; it stays as it is'),
      message: text('for people: what is wrong, and what to do'),
      pointer,
      details: Type.Optional(
        list(
          Type.Object({
            message: Type.String(),
            pointer,
            line: Type.Optional(Type.Integer({ minimum: 1, description: 'the line of the file, from 1' })),
            code: Type.Optional(text('the rule that a package breaks')),
            file: Type.Optional(text('the file of a package')),
            fix: Type.Optional(text('what to do instead')),
          }),
          'each fault, when there are several',
        ),
      ),
    }),
    request_id: text('the X-Request-Id; tell it when you ask for help'),
  },
  { title: 'Error' },
);

export const TAGS: Readonly<Record<Tag, string>> = {
  tokens: 'Who calls: a login and its password, exchanged for tokens.',
  accounts: 'The account of the token, and, for administrators, all accounts.',
  domains: 'The zones of an account.',
  records: 'What a domain answers: one by one, as a batch, or as a master file.',
  proxy: 'Whether and from where the edge serves a domain.',
  packages: 'Mini-app packages: uploaded, audited, reviewed, published.',
  operations: 'The audit, the state of changes, and what watches over a node.',
};

const header = (description: string, schema: Part = { type: 'string' }): Part => ({ description, schema });

export const HEADERS = {
  'X-Request-Id': header('Names the request; it stands in the log and in the audit.'),
  [REVISION]: header('The sequence of the change; GET /api/v1/changes/{seq} tells which nodes serve it.', {
    type: 'integer',
    minimum: 1,
  }),
  'Idempotent-Replayed': header('The answer is the first one to a request that came before under its key.', {
    const: 'true',
  }),
  ETag: header('The revision of the domain, for If-Match.'),
  Link: header('Where the next page is (RFC 8288).'),
  RateLimit: header('What is left: `"<name>";r=<requests>;t=<seconds until it is full, or until the next one>`.'),
  'RateLimit-Policy': header('The limit: `"<name>";q=<requests>;w=<seconds>`.'),
  'Retry-After': header('Seconds to wait; then wait longer each time.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('`Bearer`.'),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const headerRefs = (names: readonly HeaderName[]): Part =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Parameters that are headers of requests. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names one request, so that it can be sent again when its answer was lost: the same key and body give the first answer for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag that was read: the write is refused (412) when the domain has changed since.',
    schema: { type: 'string' },
  },
} as const;

export const parameterRef = (name: keyof typeof PARAMETERS): Part => ({ $ref: `#/components/parameters/${name}` });

export const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, as POST /api/v1/auth/token gives it.' },
} as const;
