/** Endpoints by which administrators see and remove the second factors of other accounts. */
import { StateError } from '../../../core/base/errors.ts';
import { NOTHING } from '../../../core/base/schema.ts';
import type { Id } from '../../../core/store/keys.ts';
import { revoke } from '../../change/credentials.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { type Context, route } from '../../http/route.ts';
import { hasCodes } from '../factors/code-check.ts';
import { removeFactors } from '../factors/remove.ts';
import { factorsResponse } from './schema.ts';
import { requireAccount } from './service.ts';

const FACTORS = '/api/v1/accounts/{account_id}/second-factors';

export function factorRoutes(services: Services) {
  const { reader } = services;
  return [
    route({
      operationId: 'getSecondFactors',
      method: 'GET',
      path: FACTORS,
      tag: 'accounts',
      summary: 'Get which second factors an account has',
      description: 'Whether it has one-time codes, and how many recovery codes and passkeys. For administrators.',
      scope: 'account',
      admin: true,
      response: factorsResponse,
      faults: { 404: ['no_such_account'] },
      run({ params }) {
        const { id } = requireAccount(reader, parseId(params.account_id));
        return { totp_enabled: hasCodes(reader, id), passkey_count: reader.passkeysOf(id).length };
      },
    }),
    route({
      operationId: 'removeSecondFactors',
      revokes: true,
      method: 'DELETE',
      path: FACTORS,
      tag: 'accounts',
      summary: 'Remove all second factors of an account',
      description:
        'For a user who has lost them: removes one-time codes, recovery codes and passkeys. The password is enough to sign in then. Not for the own account, whose factors need its password.',
      example: { command: 'waypost account reset-factors bob --yes' },
      scope: 'account',
      admin: true,
      response: NOTHING,
      faults: { 404: ['no_such_account'], 409: ['own_account'] },
      run: (context) => removeOf(services, context, parseId(context.params.account_id)),
    }),
  ];
}

/** Throws HttpError 404, and StateError `own_account`. */
function removeOf(services: Services, context: Context<Caller>, id: Id) {
  if (id === context.caller.account.id)
    throw new StateError(
      'own_account',
      'The own second factors are removed with the password: DELETE /api/v1/account/totp, …/passkeys/{id}.',
    );
  return revoke(services, context, id, (draft) => {
    requireAccount(draft, id);
    const removed = removeFactors(draft, id);
    return { action: 'account.remove_factors', target: id, detail: removed, createResponse: () => ({}) };
  });
}
