/** Endpoints of tokens. */

import { NOTHING } from '../../../core/base/schema.ts';
import type { Token } from '../../../core/store/rows.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { listOfRows, pageQuery, searchQuery, sortQuery } from '../../http/lists.ts';
import { publicRoute, route } from '../../http/route.ts';
import { exchangeBody, exchangeResponse, newTokenResponse, tokenBody, tokensResponse } from './schema.ts';
import { SIGN_IN_FAULTS, type SignInParts, viewUser } from './sign-in.ts';
import { prefixOf } from './token.ts';
import type { TokenUses } from './token-uses.ts';
import { createToken, exchange, revokeToken, viewToken } from './tokens.ts';

const TOKEN_SORTS = ['id', 'name', 'created_at', 'expires_at', 'last_used_at'] as const;

export function tokenRoutes(parts: SignInParts, uses: Pick<TokenUses, 'lastUse'>) {
  const { services } = parts;
  const { reader } = services;
  return [
    publicRoute({
      operationId: 'exchangeToken',
      method: 'POST',
      path: '/api/v1/auth/token',
      tag: 'tokens',
      summary: 'Log in with a password and get a token',
      description:
        'Without `scopes`, the token has all scopes that the role allows; without `expires_at`, it stays valid until it is revoked. For tokens with more limits, use POST /api/v1/tokens. An Idempotency-Key has no effect here.',
      example: {
        body: { login: 'admin', password: 'correct horse battery staple', name: 'laptop', scopes: ['dns', 'proxy'] },
        command: 'waypost token create --login admin --name laptop --scope dns proxy',
      },
      body: exchangeBody,
      response: exchangeResponse,
      faults: { ...SIGN_IN_FAULTS, 409: ['token_limit'], 422: ['invalid_scope', 'invalid_time'] },
      async run(context) {
        const { text, token, account } = await exchange(parts, context);
        return { token: text, prefix: prefixOf(token), user: viewUser(account) };
      },
    }),
    route({
      operationId: 'listTokens',
      method: 'GET',
      path: '/api/v1/tokens',
      tag: 'tokens',
      summary: 'List the tokens of the account',
      description: 'Their labels, scopes, limits and last use. Secrets are not stored, so no response has them again.',
      example: { command: 'waypost token list' },
      scope: 'account',
      query: {
        ...pageQuery,
        ...accountQuery,
        ...searchQuery('name or prefix'),
        ...sortQuery(TOKEN_SORTS),
      },
      response: tokensResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const all = reader.tokensOf(accountOf(reader, context).id);
        const list = listOfRows(all, context.query, {
          sorts: {
            id: ({ id }) => id,
            name: ({ name }) => name,
            created_at: ({ createdAt }) => createdAt,
            expires_at: ({ expiresAt }) => expiresAt ?? Number.MAX_SAFE_INTEGER,
            last_used_at: ({ id }) => uses.lastUse(id) ?? 0,
          },
          texts: (token) => [token.name, prefixOf(token)],
        });
        const view = (token: Token) => viewToken(token, uses.lastUse(token.id));
        return replyWithList(services.streams, context, 'tokens', { view, ...list });
      },
    }),
    route({
      operationId: 'createToken',
      method: 'POST',
      path: '/api/v1/tokens',
      tag: 'tokens',
      summary: 'Create a token',
      description:
        'The new token cannot have more scopes or a later expiry than the token of this request. Omitted `scopes` and `expires_at` are copied from it. The scopes are also limited by the role of the account. With `domains`, the token gives access to these domains only: not to the account, its tokens or its audit log. It cannot create domains. With `policies`, it only reads and changes the records that one of them names, by any API; other requests get 403 `token_policy`. With `networks`, requests from elsewhere get 403 `token_network`. A limited token cannot have the scope `account`.',
      example: {
        body: { name: 'backup', scopes: ['dns:read'], expires_at: '2030-01-01 00:00:00' },
        command: 'waypost token create --name backup --scope dns:read --expires "2030-01-01 00:00:00"',
      },
      scope: 'account',
      query: accountQuery,
      body: tokenBody,
      response: newTokenResponse,
      faults: {
        ...ACTING_FAULTS,
        409: ['token_limit'],
        422: ['invalid_scope', 'invalid_time', 'no_such_domain', 'invalid_name', 'invalid_type', 'invalid_prefix'],
      },
      run(context) {
        return createToken(services, context, context.body);
      },
    }),
    route({
      operationId: 'revokeToken',
      revokes: true,
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      tag: 'tokens',
      summary: 'Revoke a token',
      description: 'The token is invalid as soon as the response is sent.',
      example: { command: 'waypost token revoke 17' },
      scope: 'account',
      response: NOTHING,
      faults: { 404: ['no_such_token'] },
      run: (context) => revokeToken(services, context, parseId(context.params.token_id)),
    }),
  ];
}
