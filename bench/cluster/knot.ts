/**
 * Knot DNS: a primary that is written to over its control socket, and secondaries that it notifies
 * and that fetch the difference (IXFR). A dynamic update (RFC 2136) would be the nearer thing to a
 * request, but after one Knot sends the NOTIFY a second later, which no setting changes; after a
 * transaction of its control socket it does so at once.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Place } from '../../test/support/network.ts';
import { Knot } from '../dns/peers.ts';
import { Probe } from '../dns/probe.ts';
import { ServerProcess } from '../dns/process.ts';

const PORT = 5300;
const READY_MS = 20_000;
export const ZONE = 'bench.example';

export const knotVersion = (): string | null => new Knot().version();

type Control = ChildProcessByStdio<Writable, Readable, null>;

export class KnotCluster {
  readonly processes: readonly ServerProcess[];
  readonly probes: readonly Probe[];
  readonly #control: Control;
  readonly #answers: AsyncIterator<string, undefined>;

  constructor(processes: readonly ServerProcess[], probes: readonly Probe[], control: Control) {
    this.processes = processes;
    this.probes = probes;
    this.#control = control;
    this.#answers = createInterface({ input: control.stdout })[Symbol.asyncIterator]();
  }

  /** Adds an address record at the primary. Resolves when it says that it has. */
  async create(name: string): Promise<void> {
    const commands = [`zone-begin ${ZONE}`, `zone-set ${ZONE} ${name} 300 A 198.51.100.7`, `zone-commit ${ZONE}`];
    this.#control.stdin.write(commands.map((command) => `${command}\n`).join(''));
    for (const command of commands) {
      const { value } = await this.#answers.next();
      if (value !== 'OK') throw new Error(`Knot: ${command}: ${value ?? 'knotc has ended'}`);
    }
  }

  async stop(): Promise<void> {
    this.#control.stdin.end();
    for (const probe of this.probes) probe.close();
    await Promise.all(this.processes.map((process) => process.stop()));
  }
}

/**
 * The first place is the primary's. `folder` is emptied. Throws an Error with the end of a log when
 * one does not come up.
 */
export async function startKnot(places: readonly Place[], folder: string): Promise<KnotCluster> {
  rmSync(folder, { recursive: true, force: true });
  const processes = places.map((host, i) => {
    const own = join(folder, `knot-${i + 1}`);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'knot.conf'), i === 0 ? primary(own, places) : secondary(own, host, places[0]));
    if (i === 0)
      writeFileSync(
        join(own, `${ZONE}.zone`),
        `$ORIGIN ${ZONE}.\n$TTL 300\n@ 3600 SOA ns1 hostmaster 1 7200 900 1209600 300\n@ NS ns1\nns1 A 192.0.2.1\n`,
      );
    const { command, args } = { command: KNOTD, args: ['-c', join(own, 'knot.conf')] };
    return host.inside(() => new ServerProcess(command, args, join(folder, `knot-${i + 1}.log`)));
  });
  const probes = places.map(({ address }) => new Probe(PORT, address));
  for (const [i, probe] of probes.entries())
    await probe.untilAll([`ns1.${ZONE}`], READY_MS, true, () => processes[i].assertAlive());
  // knotc buffers its answers without a terminal at the other end, like any program that writes to
  // a pipe.
  const control = spawn('stdbuf', ['-o0', KNOTC, '-s', join(folder, 'knot-1', 'knot.sock')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return new KnotCluster(processes, probes, control);
}

/** Debian keeps them there, which is not on every PATH. */
const KNOTD = '/usr/sbin/knotd';
const KNOTC = '/usr/sbin/knotc';

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
${others.map((host, i) => remote(`secondary${i}`, host)).join('')}acl:
  - id: anyone
    address: 10.77.0.0/24
    action: transfer
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
