/** Endpoints for administrators: rotation and revocation of store keys. */
import { parseId } from '../../../change/services.ts';
import { route } from '../../../http/route.ts';
import { STORE_KEYS_ADMIN } from '../paths.ts';
import { storeKeysResponse } from './key-view.ts';
import type { StoreKeys } from './keys.ts';
import { revokeBody, rotateBody } from './schema.ts';

const ADMIN = { tag: 'packages', scope: 'packages', admin: true, method: 'POST' } as const;
/** Days for which both keys sign, by default. */
const OVERLAP_DAYS = 90;

export function storeKeyRoutes(keys: StoreKeys) {
  return [
    route({
      ...ADMIN,
      operationId: 'rotateStoreKey',
      path: STORE_KEYS_ADMIN,
      summary: 'Create a new store key',
      description:
        'The previous key endorses the new one, and also signs until the overlap ends. Packages need no new upload.',
      body: rotateBody,
      bodyOptional: true,
      response: storeKeysResponse,
      faults: { 409: ['too_many_store_keys'], 503: ['store_unavailable'] },
      run: (context) => keys.rotate(context, context.body.overlap_days ?? OVERLAP_DAYS),
    }),
    route({
      ...ADMIN,
      operationId: 'revokeStoreKey',
      path: `${STORE_KEYS_ADMIN}/{store_key_id}/revoke`,
      summary: 'Revoke a store key, for example because it leaked',
      description:
        'The key signs nothing any more, its endorsements are no longer shown, and its private key is deleted. If it is the current key, a new one without an endorsement replaces it: clients must get that key with an update of the host.',
      body: revokeBody,
      response: storeKeysResponse,
      faults: { 404: ['no_such_store_key'], 409: ['store_key_revoked', 'too_many_store_keys'] },
      run: (context) => keys.revoke(context, parseId(context.params.store_key_id), context.body.reason),
    }),
  ];
}
