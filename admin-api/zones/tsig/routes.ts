/** Endpoints of TSIG keys. */

import { NOTHING } from '../../../core/base/schema.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId, type Services } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { listOfRows, pageQuery, searchQuery, sortQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { createTsigKey, deleteTsigKey, viewTsigKey } from './keys.ts';
import { newTsigKeyResponse, tsigKeyBody, tsigKeysResponse } from './schema.ts';

const SORTS = ['id', 'name', 'created_at'] as const;
const PATH = '/api/v1/tsig-keys';

export function tsigRoutes(services: Services) {
  return [
    route({
      operationId: 'listTsigKeys',
      method: 'GET',
      path: PATH,
      tag: 'tokens',
      summary: 'List the TSIG keys of the account',
      description: 'Their names, scopes and limits. Secrets are shown once, when a key is created.',
      example: { command: 'waypost tsig list' },
      scope: 'account',
      query: { ...pageQuery, ...accountQuery, ...searchQuery('name'), ...sortQuery(SORTS) },
      response: tsigKeysResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const all = services.reader.tsigKeysOf(accountOf(services.reader, context).id);
        const list = listOfRows(all, context.query, {
          sorts: { id: ({ id }) => id, name: ({ name }) => name, created_at: ({ createdAt }) => createdAt },
          texts: ({ name }) => [name],
        });
        return replyWithList(services.streams, context, 'tsig_keys', { view: viewTsigKey, ...list });
      },
    }),
    route({
      operationId: 'createTsigKey',
      method: 'POST',
      path: PATH,
      tag: 'tokens',
      summary: 'Create a TSIG key',
      description:
        'Secondaries sign transfer requests (AXFR, IXFR) with the key, and clients sign dynamic updates (RFC 8945, RFC 2136). With `secret`, an existing key of another server is entered, such as that of a primary. The key cannot have more scopes than the token of this request, nor a later expiry. `policies` limit updates to the records that one of them names; a zone is transferred only if a policy allows reading all of it. The key of an administrator can read the zones of all accounts.',
      example: {
        body: { name: 'transfer.example.com', algorithm: 'hmac-sha256', scopes: ['dns:read'] },
        command: 'waypost tsig add transfer.example.com --scope dns:read',
      },
      scope: 'account',
      query: accountQuery,
      body: tsigKeyBody,
      response: newTsigKeyResponse,
      faults: {
        403: ACTING_FAULTS[403],
        404: [...ACTING_FAULTS[404], 'no_such_domain'],
        409: ['tsig_key_exists', 'tsig_key_limit'],
        422: [
          ...['invalid_name', 'invalid_scope', 'invalid_secret', 'weak_algorithm', 'contradiction'],
          ...['invalid_time', 'invalid_type', 'invalid_prefix'],
        ],
      },
      run(context) {
        return createTsigKey(services, context, context.body);
      },
    }),
    route({
      operationId: 'deleteTsigKey',
      revokes: true,
      method: 'DELETE',
      path: `${PATH}/{key_id}`,
      tag: 'tokens',
      summary: 'Delete a TSIG key',
      description: 'The key is invalid as soon as the response is sent.',
      example: { command: 'waypost tsig rm 17' },
      scope: 'account',
      response: NOTHING,
      faults: { 404: ['no_such_tsig_key'] },
      run: (context) => deleteTsigKey(services, context, parseId(context.params.key_id)),
    }),
  ];
}
