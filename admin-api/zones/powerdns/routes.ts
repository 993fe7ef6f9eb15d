/** All routes of the PowerDNS-compatible API. */
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { ServedRoute } from '../../http/route.ts';
import { cryptokeyRoutes } from './cryptokey-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { json, powerDnsRoute, SERVER } from './route.ts';
import { searchData } from './search.ts';
import { serverRoutes } from './server-routes.ts';
import { tsigRoutes } from './tsig-routes.ts';
import { zoneRoutes } from './zone-routes.ts';

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
      run: async (context) => json(context, await searchData(services, context)),
    }),
  ];
}
