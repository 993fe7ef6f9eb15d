/** Endpoints of zones. */
import type { Services } from '../change/services.ts';
import type { ServedRoute } from '../http/route.ts';
import { findZone } from './find-zone.ts';
import { json, powerDnsRoute, SERVER } from './route.ts';
import { describeZone } from './zone-view.ts';

const ZONES = `${SERVER}/zones`;
export const ZONE = `${ZONES}/{zone_id}`;

export function zoneRoutes(services: Services): ServedRoute[] {
  return [
    powerDnsRoute({
      method: 'GET',
      path: ZONE,
      scope: 'dns',
      run: (context) =>
        json(context, describeZone(services, findZone(services.reader, context.caller, context.params.zone_id))),
    }),
  ];
}
