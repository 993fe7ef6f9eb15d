/** The loads that both servers get. */
import type { Row } from './compare.ts';
import { compatibleRows } from './compatible.ts';
import { type Contender, LISTED } from './contender.ts';

/** Zones of the reading rows, asked in turn. */
const ZONES = 32;
const CLIENTS = 32;

const filled = Array.from({ length: ZONES }, (_, i) => `listed${i}.example`);

/** What the reading rows read. */
export async function addFilledZones(server: Contender): Promise<void> {
  for (const zone of filled) await server.addZone(zone, LISTED);
}

async function emptyZones(server: Contender, label: string, count: number): Promise<string[]> {
  const zones = Array.from({ length: count }, (_, i) => `${label}-${i}.example`);
  for (const zone of zones) await server.addZone(zone, 0);
  return zones;
}

export function allRows(): Row[] {
  const list = async (server: Contender) => filled.map((zone) => server.list(zone));
  const read = async (server: Contender) => filled.map((zone) => server.read(zone));
  const create = (id: string, zones: number) => async (server: Contender, round: number) =>
    (await emptyZones(server, `${id}-${round}`, zones)).map((zone) => server.create(zone));
  return [
    {
      id: 'list',
      text: 'listing a zone of 100 records, 32 clients',
      clients: CLIENTS,
      saturates: true,
      atLeast: 5,
      calls: list,
    },
    { id: 'list-1', text: 'the same, 1 client', clients: 1, saturates: false, atLeast: 5, calls: list },
    {
      id: 'domain',
      text: 'reading one domain, 32 clients',
      clients: CLIENTS,
      saturates: true,
      atLeast: 5,
      calls: read,
    },
    { id: 'domain-1', text: 'the same, 1 client', clients: 1, saturates: false, atLeast: 5, calls: read },
    {
      id: 'create',
      text: 'creating a record, synced, 32 clients, 32 zones',
      clients: CLIENTS,
      saturates: false,
      atLeast: 5,
      calls: create('create', CLIENTS),
    },
    {
      id: 'create-one',
      text: 'the same into one zone',
      clients: CLIENTS,
      saturates: false,
      atLeast: 5,
      calls: create('create-one', 1),
    },
    ...compatibleRows(filled, emptyZones),
  ];
}
