/** Schema of the rules document. check-rule.ts checks the fields of each action. */
import { type ObjectOptions, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { flag, integer, line, list, oneOf, orNull, readOnly, text } from '../../base/schema.ts';
import { MAX_UPLOAD } from '../uploads.ts';
import { ACTION_TYPES } from './actions.ts';
import {
  MAX_FIXED_BODY,
  MAX_IDENTITY_HEADERS,
  MAX_LIST,
  MAX_NETWORKS,
  MAX_RULES,
  MAX_TEXT,
  MAX_USERS,
} from './limits.ts';

const entry = (of: string) => text(of, { maxLength: MAX_TEXT });
const entries = (of: string, example: string) =>
  Type.Optional(list(entry(example), `${of}; any of them`, { maxItems: MAX_LIST }));

export const textLists = (of: string) => ({
  exact: entries(`whole ${of}`, 'a text'),
  prefix: entries(`beginnings of ${of}`, 'a text'),
  suffix: entries(`ends of ${of}`, 'a text'),
  contains: entries(`parts of ${of}`, 'a text'),
  glob: entries(`globs of ${of}`, '* is any text without "/", ** any text, ? one character'),
  regex: entries(`regular expressions for a part of ${of}`, 'an expression in the syntax of RE2'),
  ignore_case: Type.Optional(flag('true: the case of letters does not matter')),
});

const named = (of: string, name: string) =>
  Type.Optional(
    list(
      Type.Object({
        name: entry(name),
        absent: Type.Optional(flag('true: it is not there, or has none of these values')),
        ...textLists('values'),
      }),
      `conditions for ${of}; all of them hold`,
      { maxItems: MAX_LIST },
    ),
  );

/**
 * The schema of `match` and `except`. A rule applies if all conditions of `match` hold, unless
 * `except` holds.
 */
const match = (options: ObjectOptions) =>
  Type.Object(
    {
      host: entries('host names', 'such as www.example.com, or *.example.com for all names below'),
      path: Type.Optional(
        Type.Object(textLists('paths'), {
          description: 'the path without the query, with escapes decoded and dot segments resolved',
        }),
      ),
      method: entries('methods', 'such as POST'),
      client: Type.Optional(
        list(entry('such as 192.0.2.0/24'), 'addresses or networks of clients; any of them', {
          maxItems: MAX_NETWORKS,
        }),
      ),
      country: entries('countries of clients', 'such as DE'),
      header: named('headers', 'the name of a header'),
      cookie: named('cookies', 'the name of a cookie; "*" at its end stands for any text'),
      query: named('query parameters', 'the name of a parameter; "*" at its end stands for any text'),
    },
    { ...options, description: 'conditions of which all hold; a match without any holds for every request' },
  );

const names = (of: string) => Type.Optional(list(entry('a name'), of, { maxItems: MAX_LIST }));

const DAYS = 86_400;

const forward = Type.Object(
  {
    url: text('the URL that decides, such as https://auth.example.com/api/authz/forward-auth', { maxLength: 2000 }),
    copy_headers: Type.Optional(
      list(entry('such as Remote-User'), 'headers of the decision that the origin receives', {
        maxItems: MAX_IDENTITY_HEADERS,
      }),
    ),
  },
  {
    description:
      'a server such as Authelia decides: its status 2xx lets the request pass, any other response is sent to the visitor',
  },
);

const copyClaims = Type.Optional(
  list(
    Type.Object({
      claim: entry('a claim such as email, or the path to one such as realm_access.roles'),
      header: entry('the header that the origin receives, such as X-Email'),
    }),
    'claims that the origin receives as headers',
    { maxItems: MAX_IDENTITY_HEADERS },
  ),
);

const jwt = Type.Object(
  {
    jwks_url: text('the URL of the public keys of the issuer (RFC 7517)', { maxLength: 2000 }),
    issuer: line(1, 1000, 'the claim iss of tokens'),
    audience: Type.Optional(
      list(line(1, 1000, 'a value'), 'the claim aud must have one of these; omitted: it is not looked at', {
        minItems: 1,
        maxItems: 20,
      }),
    ),
    leeway: Type.Optional(integer(0, 300, 'seconds by which clocks may differ; the default is 30')),
    header: Type.Optional(entry('a header with the token, in place of Authorization')),
    cookie: Type.Optional(entry('a cookie with the token, in place of Authorization')),
    copy_claims: copyClaims,
  },
  { description: 'a JWT (RFC 7519) lets the request pass: as Bearer token, or in a header or cookie' },
);

const certificate = Type.Object(
  {
    allowed_fingerprints: Type.Optional(
      list(line(64, 95, 'the SHA-256 of a certificate in hexadecimal digits'), 'only these certificates pass', {
        minItems: 1,
        maxItems: 100,
      }),
    ),
    copy_fields: Type.Optional(
      list(
        Type.Object({
          field: oneOf(['subject', 'issuer', 'serial', 'fingerprint', 'names'], 'a field of the certificate'),
          header: entry('the header that the origin receives, such as X-Client-Subject'),
        }),
        'fields that the origin receives as headers',
        { maxItems: MAX_IDENTITY_HEADERS },
      ),
    ),
  },
  { description: 'a client certificate that the authorities of the protection have issued lets the request pass' },
);

const oidc = <Secret extends TProperties>(secret: Secret) =>
  Type.Object(
    {
      issuer: text('the issuer of the OpenID provider, exactly as in its metadata', { maxLength: 1000 }),
      client_id: line(1, 500, 'the id of this site at the provider'),
      ...secret,
      scopes: Type.Optional(
        list(line(1, 100, 'a scope'), 'scopes besides openid; the default is email and profile', { maxItems: 20 }),
      ),
      allowed_groups: Type.Optional(
        list(line(1, 200, 'a group'), 'visitors with one of these groups pass', { maxItems: 100 }),
      ),
      allowed_emails: Type.Optional(
        list(line(3, 254, 'such as ann@example.com, or *@example.com'), 'visitors with one of these addresses pass', {
          maxItems: 100,
        }),
      ),
      groups_claim: Type.Optional(entry('the claim with the groups; the default is groups')),
      session: Type.Optional(
        integer(300, 30 * DAYS, 'seconds until a visitor must sign in again; the default is 28800'),
      ),
      copy_claims: copyClaims,
    },
    { description: 'visitors sign in with an OpenID provider; a session cookie lets them pass' },
  );

const action = <User extends TProperties, Secret extends TProperties>(
  user: User,
  secret: Secret,
  options: ObjectOptions,
) =>
  Type.Object(
    {
      type: oneOf(ACTION_TYPES),
      status: Type.Optional(
        integer(200, 599, 'the status of deny (403), redirect (302), respond (200) and error_page'),
      ),
      location: Type.Optional(text('where a redirect leads, with placeholders such as {uri}', { maxLength: 2000 })),
      path: Type.Optional(text('the path of a rewrite, with placeholders such as {rest}', { maxLength: 2000 })),
      name: Type.Optional(line(1, 100, 'the name of a header or of an origin')),
      value: Type.Optional(line(1, 4000, 'the value of a header, with placeholders such as {client.ip}')),
      requests: Type.Optional(integer(1, 1_000_000, 'requests that a limit allows in a period, on average')),
      period: Type.Optional(integer(1, DAYS, 'the period of a limit in seconds')),
      burst: Type.Optional(integer(1, 1_000_000, 'requests that may come at once; the default is requests')),
      by: Type.Optional(line(1, 110, 'what a limit counts by: address, network, header:NAME or cookie:NAME')),
      ttl: Type.Optional(integer(0, 366 * DAYS, 'seconds that the cache keeps responses')),
      override: Type.Optional(flag('true: ttl replaces what the origin says')),
      max_ttl: Type.Optional(integer(0, 366 * DAYS, 'seconds; shortens a longer lifetime that the origin sets')),
      key: Type.Optional(
        Type.Object(
          {
            query_only: names('the only query parameters in the key of the cache; empty: none'),
            query_without: names('query parameters that are not in the key of the cache'),
            headers: names('headers whose values are in the key of the cache'),
            cookies: names('cookies whose values are in the key of the cache'),
          },
          { description: 'what distinguishes responses in the cache' },
        ),
      ),
      size: Type.Optional(
        integer(
          0,
          MAX_UPLOAD,
          'bytes of a request body: its maximum (limit_upload), or those received before the request is sent to the origin (buffer_upload)',
        ),
      ),
      realm: Type.Optional(line(1, 100, 'what browsers show when they ask for a password')),
      users: Type.Optional(list(Type.Object(user), 'users of basic_auth', { minItems: 1, maxItems: MAX_USERS })),
      forward: Type.Optional(forward),
      jwt: Type.Optional(jwt),
      certificate: Type.Optional(certificate),
      oidc: Type.Optional(oidc(secret)),
      body: Type.Optional(text('the body of a fixed response', { maxLength: MAX_FIXED_BODY })),
      content_type: Type.Optional(
        line(1, 200, 'the media type of a fixed response; the default is text/plain; charset=utf-8'),
      ),
      message: Type.Optional(line(1, 500, 'what visitors read on the page of maintenance or error_page')),
      retry_after: Type.Optional(integer(1, 30 * DAYS, 'seconds after which maintenance ends')),
    },
    options,
  );

const rule = <User extends TProperties, Secret extends TProperties>(
  user: User,
  secret: Secret,
  options: readonly [rule: ObjectOptions, match: ObjectOptions, action: ObjectOptions],
) =>
  Type.Object(
    {
      name: Type.Optional(line(1, 100, 'a name for people')),
      enabled: Type.Optional(flag('false: the rule is skipped; the default is true')),
      dry_run: Type.Optional(flag('true: the rule is matched and counted, but does nothing')),
      match: Type.Optional(match(options[1])),
      except: Type.Optional(match(options[1])),
      action: action(user, secret, options[2]),
    },
    options[0],
  );

export type RuleSchema = ReturnType<typeof rule<TProperties, Record<never, TSchema>>>;

const userName = line(1, 100, 'the name of the user');

const rules = <User extends TProperties, Secret extends TProperties>(
  user: User,
  secret: Secret,
  options: readonly [rule: ObjectOptions, match: ObjectOptions, action: ObjectOptions],
) =>
  list(rule(user, secret, options), `at most ${MAX_RULES} rules, in the order in which they run`, {
    maxItems: MAX_RULES,
  });

export const rulesBody = rules(
  {
    name: userName,
    password: Type.Optional(line(8, 200, 'the password of the user; omitted: it stays')),
    hash: Type.Optional(line(1, 500, 'an argon2id hash of the password, in the PHC format')),
    ...readOnly('has_password'),
  },
  {
    client_secret: Type.Optional(
      orNull(
        line(1, 500, 'the secret of this site at the provider; omitted: it stays'),
        'null: there is none, and PKCE alone protects logins',
      ),
    ),
    ...readOnly('has_client_secret'),
  },
  [{}, {}, {}],
);

const NO_SECRETS = { name: userName, has_password: flag('true: a password is stored') };

const HAS_CLIENT_SECRET = { has_client_secret: flag('true: a client secret is stored') };

export const rulesView = rules(NO_SECRETS, HAS_CLIENT_SECRET, [
  { title: 'SiteRule' },
  { title: 'RuleMatch' },
  { title: 'RuleAction' },
]);
