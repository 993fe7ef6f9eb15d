/** Endpoints of tokens. */

import { Type } from '@sinclair/typebox';
import { clientNetwork } from '../../core/address/ipv6.ts';
import { idKey } from '../../core/store/keys.ts';
import { ACTING_FAULTS, accountOf } from '../change/acting.ts';
import { parseId, type Services } from '../change/services.ts';
import { nextCursor, readIdCursor, readPage } from '../http/lists.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { REVISION } from '../http/revision.ts';
import { publicRoute, type Route, route } from '../http/route.ts';
import { accountQuery, NOTHING, pageQuery } from '../http/schema.ts';
import type { Passwords } from './password.ts';
import { exchangeBody, exchangeResponse, newTokenResponse, tokenBody, tokensResponse } from './schema.ts';
import { visiblePrefix } from './token.ts';
import { createToken, exchange, revokeToken, viewToken } from './tokens.ts';

export function tokenRoutes(services: Services, passwords: Passwords, logins: RateLimit): Route[] {
  return [
    publicRoute({
      operationId: 'exchangeToken',
      method: 'POST',
      path: '/api/v1/auth/token',
      tag: 'tokens',
      summary: 'Log in with a password and get a token',
      description:
        'The token has all scopes that the role allows, and stays valid until it is revoked. For programs, create a token with fewer scopes with POST /api/v1/tokens instead. An Idempotency-Key has no effect here.',
      body: exchangeBody,
      response: exchangeResponse,
      faults: {
        401: ['bad_credentials'],
        403: ['api_disabled'],
        409: ['token_limit'],
        429: ['too_many_requests'],
        503: ['busy'],
      },
      async run(context) {
        const { body, remoteAddress, headers } = context;
        logins.take(`${clientNetwork(remoteAddress)} ${body.login.toLowerCase()}`, headers);
        const { text, token, account, sequence } = await exchange(services, passwords, context, body);
        headers[REVISION] = String(sequence);
        headers['Cache-Control'] = 'no-store';
        const { id, username, role, plan } = account;
        return { token: text, prefix: visiblePrefix(token.id), user: { id, username, role, plan } };
      },
    }),
    route({
      operationId: 'listTokens',
      method: 'GET',
      path: '/api/v1/tokens',
      tag: 'tokens',
      summary: 'List the tokens of the account',
      scope: 'account',
      query: Type.Object({ ...pageQuery, ...accountQuery }),
      response: tokensResponse,
      faults: { 400: ['invalid_limit', 'invalid_cursor'], ...ACTING_FAULTS },
      run(context) {
        const { limit, after } = readPage(context.query);
        const all = services.reader.tokensOf(accountOf(services.reader, context).id);
        const from = all.findIndex(({ id }) => id > readIdCursor(after));
        const rows = from < 0 ? [] : all.slice(from, from + limit);
        const last = rows.at(-1);
        const cursor = last === undefined || last === all.at(-1) ? null : idKey(last.id);
        return { tokens: rows.map(viewToken), next_cursor: nextCursor(cursor, context) };
      },
    }),
    route({
      operationId: 'createToken',
      method: 'POST',
      path: '/api/v1/tokens',
      tag: 'tokens',
      summary: 'Create a token',
      description:
        'The new token cannot have more scopes or a later expiry than the token of this request. Omitted `scopes` and `expires_at` are copied from it. The scopes are also limited by the role of the account.',
      scope: 'account',
      query: Type.Object(accountQuery),
      body: tokenBody,
      response: newTokenResponse,
      faults: { ...ACTING_FAULTS, 409: ['token_limit'], 422: ['invalid_scope', 'invalid_time'] },
      run(context) {
        context.headers['Cache-Control'] = 'no-store';
        return createToken(services, context, context.body);
      },
    }),
    route({
      operationId: 'revokeToken',
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      tag: 'tokens',
      summary: 'Revoke a token',
      description: 'The token is invalid as soon as the response is sent.',
      scope: 'account',
      response: NOTHING,
      faults: { 404: ['no_such_token'] },
      run: (context) => revokeToken(services, context, parseId(context.params.token_id)),
    }),
  ];
}
