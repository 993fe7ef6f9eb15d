/** Schemas of tokens and sessions in requests and responses. */
import { Type } from '@sinclair/typebox';
import { anyObject, count, flag, id, line, list, orNull, text, time } from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { limitFields, limitViews } from './limits.ts';

/** Characters of a new password. The maximum limits the time to hash it. */
export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 1024;

const label = line(1, 200, 'a string of 1 to 200 characters on one line, the label of the token');

const credentials = {
  login: text('a string, the username or e-mail address', { minLength: 1, maxLength: 320 }),
  password: text(`a string of at most ${MAX_PASSWORD} characters`, { maxLength: MAX_PASSWORD }),
};

/** Of a second factor. */
export const codeField = Type.Optional(
  text('a code of the authenticator (6 digits) or a recovery code, if the account has a second factor', {
    maxLength: 100,
  }),
);

const userView = Type.Object({
  id: id('the account'),
  username: Type.String({ examples: ['alice'] }),
  role: text('"admin", "user" or "viewer"', { examples: ['user'] }),
  plan: Type.String({ examples: ['pro'] }),
});

const scopesField = Type.Optional(
  list(Type.String({ maxLength: 40 }), 'a list of scopes, such as ["dns", "account:read"]', { maxItems: 16 }),
);

export const exchangeBody = bodySchema(
  Type.Object({
    ...credentials,
    code: codeField,
    scopes: scopesField,
    expires_at: limitFields.expires_at,
    name: Type.Optional(
      line(
        1,
        200,
        'a string of 1 to 200 characters on one line, the label of the token (default: date and client address)',
      ),
    ),
  }),
);

export const exchangeResponse = Type.Object({
  token: text('the token; it is shown only once', { examples: ['wp_q2ZrN7dVw0sXk3TjYb5mEhGc8LfAuPi1'] }),
  prefix: text('the prefix of the token, as shown in lists', { examples: ['wp_q2Zr'] }),
  user: userView,
});

export const tokenBody = bodySchema(
  Type.Object({
    name: label,
    scopes: scopesField,
    domains: Type.Optional(
      orNull(
        list(id('a domain'), 'ids of domains', { minItems: 1, maxItems: 1000 }),
        'the ids of the domains that the token gives access to, or null for all domains of the account',
      ),
    ),
    ...limitFields,
  }),
);

const tokenView = {
  id: id('the token'),
  name: text('the label of the token', { examples: ['laptop'] }),
  prefix: text('the prefix of the token', { examples: ['wp_q2Zr'] }),
  scopes: list(Type.String({ examples: ['dns'] }), 'the scopes of the token'),
  domains: orNull(
    list(id('a domain'), 'ids of domains'),
    'the only domains that the token gives access to; null: all domains of the account',
  ),
  ...limitViews,
  by_password: flag('whether the token exchange issued it for a password'),
  created_at: time('when it was created'),
  last_used_at: orNull(
    time('when it was last used'),
    'when it was last used, on other nodes to within 6 minutes; null: never',
  ),
};

export const newTokenResponse = Type.Object({
  token: text('the token; it is shown only once', { examples: ['wp_q2ZrN7dVw0sXk3TjYb5mEhGc8LfAuPi1'] }),
  ...tokenView,
});

export const tokensResponse = Type.Object({
  tokens: list(Type.Object(tokenView, { title: 'Token' }), 'the tokens of the account'),
  ...pageFields,
});

export const signInBody = bodySchema(Type.Object({ ...credentials, code: codeField }));

/** Binary data of WebAuthn. */
export const base64url = (what: string, maxLength: number) =>
  text(`${what}, as base64url without padding`, { minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

export const passkeyFields = {
  /** WebAuthn allows ids of 1,023 bytes. */
  credential: base64url('the id of the credential', 1364),
  client_data: base64url('clientDataJSON', 8192),
};

export const passkeySignInBody = bodySchema(
  Type.Object({
    ...passkeyFields,
    authenticator_data: base64url('authenticatorData', 8192),
    signature: base64url('the signature', 4096),
    user_handle: base64url('userHandle', 100),
  }),
);

export const passkeyOptionsResponse = Type.Object({
  options: anyObject('what the browser needs: the JSON form of the options of WebAuthn'),
});

const expiry = time('when the session ends unless it is used');

export const sessionResponse = Type.Object({
  user: userView,
  csrf_token: text('the value of the header X-Waypost-CSRF', { examples: ['4yGfCtNnYz7eHT1oVLQ9dQ'] }),
  seq: count('the sequence number of the last change so far, which `after` of GET /api/v1/events takes'),
  expires_at: expiry,
});

export const sessionsResponse = Type.Object({
  sessions: list(
    Type.Object(
      {
        id: id('the session'),
        current: flag('whether it is the session of this request'),
        created_at: time('when it was created'),
        last_used_at: time('when it was last used, to within 5 minutes'),
        expires_at: expiry,
        remote_address: text('the address of the client that signed in', { examples: ['192.0.2.44'] }),
        user_agent: orNull(Type.String(), 'the User-Agent of the client that signed in'),
      },
      { title: 'Session' },
    ),
    'the sessions of the account',
  ),
  ...pageFields,
});

export const endedResponse = Type.Object({ ended: count('the number of sessions that ended') });
