/** The rows of the PowerDNS-compatible API: both servers get the same requests. */
import type { Row } from './compare.ts';
import { type Call, type Contender, hostAddress, LISTED } from './contender.ts';
import { FRESH, requestText } from './plan.ts';

const ZONES = '/api/v1/servers/localhost/zones';
const CLIENTS = 32;
/** Zones that are listed, at least. */
const LISTED_ZONES = 500;
/** In each PATCH of several RRsets. */
const RRSETS = 20;

const rrset = (name: string, content: string) => ({
  ...{ name, type: 'A', ttl: 300, changetype: 'REPLACE' },
  records: [{ content, disabled: false }],
});

const get = (server: Contender, path: string, contains: readonly string[]): Call => ({
  text: requestText('GET', `${ZONES}${path}`, { 'X-API-Key': server.key }),
  status: 200,
  contains,
});

const patch = (server: Contender, zone: string, rrsets: readonly unknown[]): Call => ({
  text: requestText('PATCH', `${ZONES}/${zone}.`, { 'X-API-Key': server.key }, { rrsets }),
  status: 204,
});

/** `filled`: zones of LISTED records. `emptyZones`: makes zones without own records. */
export function compatibleRows(
  filled: readonly string[],
  emptyZones: (server: Contender, label: string, count: number) => Promise<string[]>,
): Row[] {
  const listed = new Set<Contender>();
  const row = { clients: CLIENTS, saturates: true, atLeast: 3 };
  const patches = (id: string, rrsets: (zone: string) => unknown[]) => async (server: Contender, round: number) =>
    (await emptyZones(server, `${id}-${round}`, CLIENTS)).map((zone) => patch(server, zone, rrsets(zone)));
  return [
    {
      ...row,
      id: 'powerdns-zones',
      text: `compatible API: listing ${LISTED_ZONES} zones`,
      async calls(server) {
        if (!listed.has(server)) await emptyZones(server, 'powerdns-zones', LISTED_ZONES);
        listed.add(server);
        return [get(server, '', ['powerdns-zones-0.example.', `powerdns-zones-${LISTED_ZONES - 1}.example.`])];
      },
    },
    {
      ...row,
      id: 'powerdns-zone',
      text: `compatible API: reading a zone of ${LISTED} records`,
      calls: async (server) => filled.map((zone) => get(server, `/${zone}.`, [`h0.`, hostAddress(LISTED - 10)])),
    },
    {
      ...row,
      id: 'powerdns-read',
      text: 'compatible API: reading a zone without its records',
      calls: async (server) => filled.map((zone) => get(server, `/${zone}.?rrsets=false`, ['Native', 'serial'])),
    },
    {
      ...row,
      id: 'powerdns-patch',
      saturates: false,
      text: 'compatible API: a PATCH of one RRset, synced, 32 zones',
      calls: patches('powerdns-patch', (zone) => [rrset(`${FRESH}.${zone}.`, '198.51.100.7')]),
    },
    {
      ...row,
      id: 'powerdns-patches',
      saturates: false,
      text: `compatible API: a PATCH of ${RRSETS} RRsets, synced, 32 zones`,
      calls: patches('powerdns-patches', (zone) =>
        Array.from({ length: RRSETS }, (_, i) => rrset(`n${i}-${FRESH}.${zone}.`, '198.51.100.7')),
      ),
    },
  ];
}
