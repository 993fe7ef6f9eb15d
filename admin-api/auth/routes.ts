/** Endpoints of tokens and accounts. */
import { Type } from '@sinclair/typebox';
import { publicRoute, type Route, route } from '../http/app.ts';
import { bodySchema } from '../http/json-body.ts';
import { nextCursor, readPage } from '../http/lists.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { REVISION, type Services } from '../services.ts';
import { createAccount, describeAccount, viewAccount } from './accounts.ts';
import type { Passwords } from './password.ts';
import { visiblePrefix } from './token.ts';
import { createToken, exchange, revokeToken, viewToken } from './tokens.ts';

/** Longer passwords only make hashing slow. */
const MAX_PASSWORD = 1024;

const label = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'a string of 1 to 200 characters, the label that tells the token from others',
});

const exchangeBody = bodySchema(
  Type.Object({
    login: Type.String({ minLength: 1, maxLength: 320, description: 'a string, the username or e-mail address' }),
    password: Type.String({ maxLength: MAX_PASSWORD, description: `a string of at most ${MAX_PASSWORD} characters` }),
    name: label,
  }),
);

const tokenBody = bodySchema(
  Type.Object({
    name: label,
    scopes: Type.Optional(
      Type.Array(Type.String(), { maxItems: 16, description: 'a list of scopes, such as ["dns", "account:read"]' }),
    ),
    expires_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'a time as YYYY-MM-DD HH:MM:SS in UTC, or null' }),
    ),
  }),
);

const accountBody = bodySchema(
  Type.Object({
    username: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
      description:
        'a string of 1 to 63 letters, digits, dots, hyphens and underscores that begins with a letter or digit',
    }),
    email: Type.Optional(
      Type.String({ pattern: '^[^\\s@]{1,64}@[^\\s@]{1,255}$', description: 'a string, an e-mail address' }),
    ),
    password: Type.String({
      minLength: 8,
      maxLength: MAX_PASSWORD,
      description: `a string of 8 to ${MAX_PASSWORD} characters`,
    }),
    role: Type.Optional(
      Type.Union([Type.Literal('admin'), Type.Literal('user'), Type.Literal('viewer')], {
        description: 'one of "admin", "user", "viewer"',
      }),
    ),
    plan: Type.Optional(Type.String({ maxLength: 100, description: 'a string, the name of a plan' })),
    api_enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
  }),
);

export function authRoutes(services: Services, passwords: Passwords, logins: RateLimit): Route[] {
  return [
    publicRoute({
      method: 'POST',
      path: '/api/v1/auth/token',
      body: exchangeBody,
      async run({ body, remoteAddress, headers }) {
        logins.take(`${remoteAddress} ${body.login.toLowerCase()}`, headers);
        const { text, token, account, sequence } = await exchange(services, passwords, body);
        headers[REVISION] = String(sequence);
        headers['Cache-Control'] = 'no-store';
        const { id, username, role, plan } = account;
        return { token: text, prefix: visiblePrefix(token.id), user: { id, username, role, plan } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/account',
      scope: 'account',
      run: ({ caller }) => ({ account: describeAccount(services, caller.account) }),
    }),
    route({
      method: 'GET',
      path: '/api/v1/tokens',
      scope: 'account',
      run: ({ caller }) => ({ tokens: services.reader.tokensOf(caller.account.id).map(viewToken), next_cursor: null }),
    }),
    route({
      method: 'POST',
      path: '/api/v1/tokens',
      scope: 'account',
      body: tokenBody,
      async run({ caller, body, headers }) {
        const { text, token, sequence } = await createToken(services, caller, body);
        headers[REVISION] = String(sequence);
        headers['Cache-Control'] = 'no-store';
        return { token: text, ...viewToken(token) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      scope: 'account',
      async run({ caller, params, headers }) {
        headers[REVISION] = String(await revokeToken(services, caller, params.token_id));
        return {};
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/accounts',
      scope: 'account',
      admin: true,
      run(context) {
        const page = readPage(context.query);
        const found = services.reader.accounts(page.after?.toString('hex') ?? null, page.limit + 1);
        const rows = found.slice(0, page.limit);
        const last = found.length > page.limit ? Buffer.from(rows[rows.length - 1].id, 'hex') : null;
        return { accounts: rows.map(viewAccount), next_cursor: nextCursor(last, context) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/accounts',
      scope: 'account',
      admin: true,
      body: accountBody,
      async run({ caller, body, headers }) {
        const { api_enabled: apiEnabled = true, role = 'user', plan = 'free', username, email, password } = body;
        const row = { username, email, password, role, plan, apiEnabled };
        const { account, sequence } = await createAccount(services, passwords, caller.account.id, row);
        headers[REVISION] = String(sequence);
        return { account: viewAccount(account) };
      },
    }),
  ];
}
