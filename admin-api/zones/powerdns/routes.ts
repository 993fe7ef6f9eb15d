/** All routes of the PowerDNS-compatible API. */
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { ServedRoute } from '../../http/route.ts';
import { changeCryptokey, createCryptokey, deleteCryptokey, findCryptokey, listCryptokeys } from './cryptokeys.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { json, noContent, powerDnsRoute, readObject, SERVER } from './route.ts';
import { searchData, searchDataQuery } from './search.ts';
import { serverRoutes } from './server-routes.ts';
import { tsigRoutes } from './tsig-routes.ts';
import { ZONE, zoneRoutes } from './zone-routes.ts';

const KEYS = `${ZONE}/cryptokeys`;

const KEY = `${KEYS}/{cryptokey_id}`;

/** Endpoints of DNSSEC keys. */
function cryptokeyRoutes(services: Services): ServedRoute[] {
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

/**
 * `metrics`: of this node, for its statistics. `notify`: notifies the secondaries of a zone.
 */
export function powerDnsRoutes(services: Services, metrics: Registry, notify: (domain: Domain) => void): ServedRoute[] {
  return [
    ...serverRoutes(services, metrics),
    ...zoneRoutes(services, notify),
    ...cryptokeyRoutes(services),
    ...metadataRoutes(services),
    ...tsigRoutes(services),
    powerDnsRoute({
      method: 'GET',
      path: `${SERVER}/search-data`,
      scope: 'dns',
      query: searchDataQuery,
      run: async (context) => json(context, await searchData(services, context)),
    }),
  ];
}
