/** Shapes of tokens. */
import { Type } from '@sinclair/typebox';
import { bodySchema } from '../http/json-body.ts';
import { flag, id, line, list, nextCursorSchema, orNull, TIME, text, time } from '../http/schema.ts';

/** Longer passwords only make hashing slow. */
export const MAX_PASSWORD = 1024;

const label = line(1, 200, 'a string of 1 to 200 characters on one line, the label that tells the token from others');

export const exchangeBody = bodySchema(
  Type.Object({
    login: text('a string, the username or e-mail address', { minLength: 1, maxLength: 320 }),
    password: text(`a string of at most ${MAX_PASSWORD} characters`, { maxLength: MAX_PASSWORD }),
    name: label,
  }),
);

export const exchangeAnswer = Type.Object({
  token: text('the token; it is told only this once'),
  prefix: text('the part of it that lists show'),
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
  name: text('its label'),
  prefix: text('how it begins'),
  scopes: list(Type.String(), 'what it may do'),
  by_password: flag('whether it was given for the password, and ends when that is changed'),
  created_at: time('when it was made'),
  expires_at: orNull(time('when it ends'), 'when it ends; null: never'),
};

export const newTokenAnswer = Type.Object({ token: text('the token; it is told only this once'), ...tokenView });

export const tokensAnswer = Type.Object({
  tokens: list(Type.Object(tokenView, { title: 'Token' }), 'the tokens of the account'),
  next_cursor: nextCursorSchema,
});
