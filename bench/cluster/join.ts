/** A node without data joins a cluster that has many records. */
import { writeZones, type ZoneSet } from '../dns/zones.ts';
import { type Cluster, joinAnew, probesOf } from './waypost.ts';

export interface JoinResult {
  readonly records: number;
  /** Of the import into the cluster. */
  readonly importSeconds: number;
  /** From each start of the node until it was ready. */
  readonly seconds: readonly number[];
  /** Zones of those looked at that it did not serve then. */
  readonly wrong: number;
}

/** Zones that are asked for, evenly spread. */
const LOOKED_AT = 64;

/** Imports the set at the first node; then the last one joins `rounds` times. */
export async function measureJoin(
  { nodes, token }: Cluster,
  set: ZoneSet,
  work: string,
  rounds: number,
  say: (line: string) => void,
): Promise<JoinResult> {
  const records = set.zones * set.records;
  const { seconds: importSeconds } = await nodes[0].daemon.importFolder(writeZones(set, work), token);
  say(`join: ${records} records imported in ${importSeconds.toFixed(1)} s`);
  const last = nodes[nodes.length - 1];
  const seconds: number[] = [];
  let wrong = 0;
  for (let round = 0; round < rounds; round++) {
    seconds.push(await joinAnew(last));
    const [probe] = probesOf([last]);
    for (let i = 0; i < LOOKED_AT; i++) {
      const zone = Math.floor((i * (set.zones - 1)) / (LOOKED_AT - 1));
      if (!(await probe.holds(set.probeName(zone), 1000))) wrong++;
    }
    probe.close();
    say(`join: ready after ${seconds[round].toFixed(1)} s, ${wrong} wrong`);
  }
  return { records, importSeconds, seconds, wrong };
}
