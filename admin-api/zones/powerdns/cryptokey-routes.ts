/** Endpoints of DNSSEC keys. */
import type { Services } from '../../change/services.ts';
import type { ServedRoute } from '../../http/route.ts';
import { changeCryptokey, createCryptokey, deleteCryptokey, findCryptokey, listCryptokeys } from './cryptokeys.ts';
import { json, noContent, powerDnsRoute, readObject } from './route.ts';
import { ZONE } from './zone-routes.ts';

const KEYS = `${ZONE}/cryptokeys`;
const KEY = `${KEYS}/{cryptokey_id}`;

export function cryptokeyRoutes(services: Services): ServedRoute[] {
  return [
    powerDnsRoute({
      method: 'GET',
      path: KEYS,
      scope: 'dns',
      run: (context) => json(context, listCryptokeys(services, context)),
    }),
    powerDnsRoute({
      method: 'POST',
      path: KEYS,
      scope: 'dns',
      run: async (context) => json(context, await createCryptokey(services, context, readObject(context)), 201),
    }),
    powerDnsRoute({
      method: 'GET',
      path: KEY,
      scope: 'dns',
      run: (context) => json(context, findCryptokey(services, context)),
    }),
    powerDnsRoute({
      method: 'PUT',
      path: KEY,
      scope: 'dns',
      run(context) {
        changeCryptokey(services, context, readObject(context));
        return noContent();
      },
    }),
    powerDnsRoute({
      method: 'DELETE',
      path: KEY,
      scope: 'dns',
      async run(context) {
        await deleteCryptokey(services, context);
        return noContent();
      },
    }),
  ];
}
