/** Schemas of tokens in requests and responses. */
import { Type } from '@sinclair/typebox';
import { bodySchema } from '../http/json-body.ts';
import { flag, id, line, list, nextCursorSchema, orNull, TIME, text, time } from '../http/schema.ts';

/** Limits the time to hash a password. */
export const MAX_PASSWORD = 1024;

const label = line(1, 200, 'a string of 1 to 200 characters on one line, the label of the token');

export const exchangeBody = bodySchema(
  Type.Object({
    login: text('a string, the username or e-mail address', { minLength: 1, maxLength: 320 }),
    password: text(`a string of at most ${MAX_PASSWORD} characters`, { maxLength: MAX_PASSWORD }),
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
  token: text('the token; it is shown only once'),
  prefix: text('the prefix of the token, as shown in lists'),
  user: Type.Object({
    id: id('the account'),
    username: Type.String(),
    role: text('"admin", "user" or "viewer"'),
    plan: Type.String(),
  }),
});

export const tokenBody = bodySchema(
  Type.Object({
    name: label,
    scopes: Type.Optional(
      list(Type.String({ maxLength: 40 }), 'a list of scopes, such as ["dns", "account:read"]', { maxItems: 16 }),
    ),
    expires_at: Type.Optional(orNull(Type.String({ pattern: TIME }), 'a time as YYYY-MM-DD HH:MM:SS in UTC, or null')),
  }),
);

const tokenView = {
  id: id('the token'),
  name: text('the label of the token'),
  prefix: text('the prefix of the token'),
  scopes: list(Type.String(), 'the scopes of the token'),
  by_password: flag('whether the token exchange issued it for a password'),
  created_at: time('when it was created'),
  expires_at: orNull(time('when it expires'), 'when it expires; null: never'),
};

export const newTokenResponse = Type.Object({ token: text('the token; it is shown only once'), ...tokenView });

export const tokensResponse = Type.Object({
  tokens: list(Type.Object(tokenView, { title: 'Token' }), 'the tokens of the account'),
  next_cursor: nextCursorSchema,
});
