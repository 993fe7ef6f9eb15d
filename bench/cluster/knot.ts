/** Knot DNS: a primary that takes dynamic updates, and secondaries that it notifies and that fetch the difference (IXFR). Updates are signed by nobody: addresses are enough here. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseName } from '../../core/wire/name.ts';
import { add, encodeUpdate } from '../../test/support/update-message.ts';
import { Knot } from '../dns/peers.ts';
import { Probe } from '../dns/probe.ts';
import { ServerProcess } from '../dns/process.ts';
import type { Place } from './network.ts';

const PORT = 5300;
const READY_MS = 20_000;
const ANSWER_MS = 5000;
export const ZONE = 'bench.example';

export const knotVersion = (): string | null => new Knot().version();

export class KnotCluster {
  readonly processes: readonly ServerProcess[];
  readonly probes: readonly Probe[];
  readonly #socket: Socket;
  #id = 0;

  constructor(processes: readonly ServerProcess[], probes: readonly Probe[], socket: Socket) {
    this.processes = processes;
    this.probes = probes;
    this.#socket = socket;
  }

  /** Adds an address record at the primary (RFC 2136). Resolves when it says that it has. */
  async create(name: string): Promise<void> {
    this.#id = (this.#id + 1) & 0xffff;
    const update = encodeUpdate({
      zone: parseName(ZONE),
      updates: [add(`${name}.${ZONE}`, 300, 'A', '198.51.100.7')],
      id: this.#id,
    });
    this.#socket.send(update);
    const [answer] = (await once(this.#socket, 'message', { signal: AbortSignal.timeout(ANSWER_MS) })) as [Buffer];
    if (answer.readUInt16BE(0) !== this.#id || (answer[3] & 15) !== 0)
      throw new Error(`Knot: the update of ${name} was answered with code ${answer[3] & 15}.`);
  }

  async stop(): Promise<void> {
    this.#socket.close();
    for (const probe of this.probes) probe.close();
    await Promise.all(this.processes.map((one) => one.stop()));
  }
}

/** The first place is the primary's. `folder` is emptied. Throws an Error with the end of a log when one does not come up. */
export async function startKnot(places: readonly Place[], folder: string): Promise<KnotCluster> {
  rmSync(folder, { recursive: true, force: true });
  const processes = places.map((place, i) => {
    const own = join(folder, `knot-${i + 1}`);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'knot.conf'), i === 0 ? primary(own, places) : secondary(own, place, places[0]));
    if (i === 0)
      writeFileSync(
        join(own, `${ZONE}.zone`),
        `$ORIGIN ${ZONE}.\n$TTL 300\n@ 3600 SOA ns1 hostmaster 1 7200 900 1209600 300\n@ NS ns1\nns1 A 192.0.2.1\n`,
      );
    const { command, args } = { command: KNOTD, args: ['-c', join(own, 'knot.conf')] };
    return place.inside(() => new ServerProcess(command, args, join(folder, `knot-${i + 1}.log`)));
  });
  const probes = places.map(({ address }) => new Probe(PORT, address));
  for (const [i, probe] of probes.entries())
    await probe.untilAll([`ns1.${ZONE}`], READY_MS, true, () => processes[i].assertAlive());
  const socket = createSocket('udp4');
  socket.connect(PORT, places[0].address);
  await once(socket, 'connect');
  return new KnotCluster(processes, probes, socket);
}

/** Debian keeps it there, which is not on every PATH. */
const KNOTD = '/usr/sbin/knotd';

const common = (folder: string, { address }: Place): string => `server:
    rundir: ${folder}
    listen: ${address}@${PORT}
    udp-workers: 1
    tcp-workers: 1
database:
    storage: ${folder}
log:
  - target: stderr
    any: warning
`;

const remote = (id: string, { address }: Place): string => `  - id: ${id}
    address: ${address}@${PORT}
`;

function primary(folder: string, [own, ...others]: readonly Place[]): string {
  return `${common(folder, own)}remote:
${others.map((place, i) => remote(`secondary${i}`, place)).join('')}acl:
  - id: anyone
    address: 10.77.0.0/24
    action: [transfer, update]
zone:
  - domain: ${ZONE}
    storage: ${folder}
    zonefile-sync: -1
    notify: [${others.map((_, i) => `secondary${i}`).join(', ')}]
    acl: anyone
`;
}

const secondary = (folder: string, own: Place, first: Place): string => `${common(folder, own)}remote:
${remote('primary', first)}acl:
  - id: notified
    address: ${first.address}
    action: notify
zone:
  - domain: ${ZONE}
    storage: ${folder}
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
    master: primary
    acl: notified
`;
