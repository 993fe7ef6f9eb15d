/** Endpoints of the caller's own passkeys. */

import { NOTHING } from '../../../core/base/schema.ts';
import { parseId } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { listOfIds, pageQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { passkeyOptionsResponse } from '../auth/schema.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { FACTOR_FAULTS } from './confirm.ts';
import { addPasskey, beginPasskey, removePasskey, renamePasskey, viewPasskey } from './passkeys.ts';
import { confirmationBody, newPasskeyBody, passkeyNameBody, passkeyResponse, passkeysResponse } from './schema.ts';

const PASSKEYS = '/api/v1/account/passkeys';
const PASSKEY = `${PASSKEYS}/{passkey_id}` as const;
const OWN = { tag: 'accounts', scope: 'account', ownAccess: true } as const;

export function passkeyRoutes(parts: SignInParts) {
  const { reader } = parts.services;
  return [
    route({
      ...OWN,
      operationId: 'listPasskeys',
      method: 'GET',
      path: PASSKEYS,
      summary: 'List the own passkeys',
      description: 'Their names, and when each was added and last used.',
      query: pageQuery,
      response: passkeysResponse,
      run(context) {
        const list = listOfIds(reader.passkeysOf(context.caller.account.id));
        return replyWithList(parts.services.streams, context, 'passkeys', { view: viewPasskey, ...list });
      },
    }),
    route({
      ...OWN,
      operationId: 'getPasskeyOptions',
      method: 'POST',
      path: `${PASSKEYS}/options`,
      summary: 'Get a challenge to create a passkey',
      description:
        'Pass `options` to navigator.credentials.create. The challenge works once, within 10 minutes. An Idempotency-Key has no effect here.',
      example: { body: { password: 'correct horse battery staple' } },
      body: confirmationBody,
      response: passkeyOptionsResponse,
      faults: { ...FACTOR_FAULTS, 409: ['passkeys_unavailable', 'passkey_limit'] },
      run: (context) => beginPasskey(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'createPasskey',
      method: 'POST',
      path: PASSKEYS,
      summary: 'Add a passkey',
      description:
        'The fields are those of the PublicKeyCredential that navigator.credentials.create returned for a challenge of POST /api/v1/account/passkeys/options.',
      example: {
        body: {
          name: 'Laptop',
          credential: 'q83vEjRWeJA',
          client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
          attestation: 'o2NmbXRkbm9uZQ',
          transports: ['internal'],
        },
      },
      body: newPasskeyBody,
      response: passkeyResponse,
      faults: {
        409: ['passkeys_unavailable', 'passkey_exists', 'passkey_limit'],
        422: ['bad_passkey', 'bad_challenge'],
      },
      run: (context) => addPasskey(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'renamePasskey',
      method: 'PATCH',
      path: PASSKEY,
      summary: 'Rename a passkey',
      description: 'The name is only a label in lists.',
      example: { body: { name: 'Work laptop' } },
      body: passkeyNameBody,
      response: passkeyResponse,
      faults: { 404: ['no_such_passkey'] },
      run: (context) => renamePasskey(parts, context, parseId(context.params.passkey_id)),
    }),
    route({
      ...OWN,
      operationId: 'deletePasskey',
      revokes: true,
      method: 'DELETE',
      path: PASSKEY,
      summary: 'Remove a passkey',
      description: 'It signs in no more. Needs the password, and a code if the account has one-time codes.',
      example: { body: { password: 'correct horse battery staple' } },
      body: confirmationBody,
      response: NOTHING,
      faults: { ...FACTOR_FAULTS, 404: ['no_such_passkey'] },
      run: (context) => removePasskey(parts, context, parseId(context.params.passkey_id)),
    }),
  ];
}
