/** All routes of the PowerDNS-compatible API. */
import type { Services } from '../change/services.ts';
import type { ServedRoute } from '../http/route.ts';
import { zoneRoutes } from './zone-routes.ts';

export function powerDnsRoutes(services: Services): ServedRoute[] {
  return [...zoneRoutes(services)];
}
