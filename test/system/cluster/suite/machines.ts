/**
 * Four daemons and three members of etcd, each on a machine of its own. A machine has a link to the
 * others and one to where clients are, so that a node can be cut off from the others and still be
 * asked.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { ApiClient } from '../../../support/api-client.ts';
import { type Child, startChild } from '../../../support/child.ts';
import { ADMIN_PASSWORD, environment, MAIN, USUAL } from '../../../support/daemon.ts';
import { UdpClient } from '../../../support/dns-client.ts';
import { openNetwork, type Place, run } from '../../../support/network.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { ETCD, etcdArguments, untilHealthy } from '../../peers/etcd.ts';
import { credentialsIn, inviteNode } from '../credentials.ts';
import { SETTINGS } from '../history/history.ts';

const DISK = '64m';
/** Entries of the log that a node may miss and still follow. */
export const HISTORY = 1000;

export const NODES = ['a', 'b', 'c', 'd'];
const MEMBERS = ['one', 'two', 'three'];

export interface Machine {
  readonly name: string;
  readonly host: Place;
}

/** Where the others reach it, and where clients do. */
const inside = ({ host }: Machine): string => host.addresses[0];
const outside = ({ host }: Machine): string => host.addresses[1];

export interface Network {
  readonly nodes: readonly Machine[];
  readonly members: readonly Machine[];
}

/** This process is among the clients from now on. Throws Error. */
export function openMachines(): Network {
  const places = openNetwork(NODES.length + MEMBERS.length, 2);
  const named = (name: string): Machine => ({ name, host: places.shift() as Place });
  return { nodes: NODES.map(named), members: MEMBERS.map(named) };
}

export class Member {
  readonly machine: Machine;
  readonly endpoint: string;
  readonly #start: () => Child;
  #child: Child | null = null;

  constructor(machine: Machine, folder: string, { members }: Network) {
    this.machine = machine;
    this.endpoint = clientUrl(machine);
    const args = etcdArguments({
      name: machine.name,
      folder: join(folder, machine.name),
      endpoint: this.endpoint,
      peerUrl: peerUrl(machine),
      cluster: members.map((member) => `${member.name}=${peerUrl(member)}`).join(),
    });
    this.#start = () => machine.host.inside(() => startChild(ETCD, args));
  }

  start(): void {
    this.#child = this.#start();
  }

  healthy(): Promise<void> {
    return untilHealthy(this.endpoint, this.#child as Child);
  }

  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
  }

  async isLeader(): Promise<boolean> {
    const { body } = await request(`${this.endpoint}/v3/maintenance/status`, { method: 'POST', body: '{}' });
    const { header, leader } = (await body.json()) as { header: { member_id: string }; leader: string };
    return header.member_id === leader;
  }
}

const clientUrl = (machine: Machine): string => `http://${inside(machine)}:2379`;
const peerUrl = (machine: Machine): string => `http://${inside(machine)}:2380`;

export class Node {
  readonly machine: Machine;
  /** A file system of its own. */
  readonly disk: string;
  /** Of its API. */
  readonly url: string;
  readonly api: ApiClient;
  readonly #settings: Record<string, string>;
  #child: Child | null = null;
  #dns: UdpClient | null = null;
  /** It is to answer, so that silence is a fault. */
  isUp = false;
  /** Its process runs: what is sent to it is answered, unless it no longer listens. */
  isRunning = false;
  /** The program that the next start runs. */
  main = MAIN;

  constructor(machine: Machine, folder: string, { members }: Network, credentials: Record<string, string>) {
    this.machine = machine;
    this.disk = join(folder, `node-${machine.name}`);
    mkdirSync(this.disk);
    // One that can be filled.
    run('mount', '-t', 'tmpfs', '-o', `size=${DISK}`, 'waypost-test', this.disk);
    this.url = `http://${outside(machine)}:8300`;
    this.api = new ApiClient(this.url);
    this.#settings = {
      ...USUAL,
      ...credentials,
      WAYPOST_DATA_DIR: this.dataDir,
      WAYPOST_PROTECTION_START_DELAY: '0',
      WAYPOST_DNS_LISTEN: `${outside(machine)}:53`,
      WAYPOST_ADMIN_LISTEN: `${outside(machine)}:8300`,
      WAYPOST_PEER_LISTEN: `${inside(machine)}:8301`,
      WAYPOST_ETCD_ENDPOINTS: members.map(clientUrl).join(),
      WAYPOST_JOURNAL_HISTORY: String(HISTORY),
      ...SETTINGS,
    };
  }

  get dataDir(): string {
    return join(this.disk, 'data');
  }

  get name(): string {
    return this.machine.name;
  }

  get dns(): UdpClient {
    return this.#dns as UdpClient;
  }

  /** All that it has printed since the last start. */
  get output(): string {
    return this.#child?.output() ?? '';
  }

  get exited(): boolean {
    return this.#child === null || this.#child.exited();
  }

  /** Resolves when it says that it is ready. `more` are further variables. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const env = { ...environment(this.#settings), ...more };
    this.#child = this.machine.host.inside(() => startChild(process.execPath, [this.main, 'serve'], env));
    await this.#child.waitFor(/^waypost ready/m);
    this.#dns?.close();
    this.#dns = await UdpClient.connect(53, outside(this.machine));
    this.isUp = true;
    this.isRunning = true;
  }

  async stop(): Promise<number | null> {
    this.isUp = false;
    const code = (await this.#child?.stop()) ?? null;
    this.isRunning = false;
    return code;
  }

  async kill(): Promise<void> {
    this.isUp = false;
    this.isRunning = false;
    await this.#child?.stop('SIGKILL');
  }

  /** With its data. */
  async close(): Promise<void> {
    await this.kill();
    this.#dns?.close();
    run('umount', '--lazy', this.disk);
  }

  /** What it says of itself: status, and the body. */
  readiness(): Promise<{ status: number; text: string }> {
    return this.api.request('GET', '/readyz');
  }

  async untilReady(): Promise<void> {
    await until(`${this.name} is ready`, async () => (await this.readiness()).status === 200);
  }
}

/** Polls; a look that throws counts as no. Rejects past `ms` with the last answer or error. */
export async function until(what: string, isThere: () => Promise<boolean> | boolean, ms = PATIENCE_MS): Promise<void> {
  let why: unknown = 'no';
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(100)) {
    try {
      if (await isThere()) return;
      why = 'no';
    } catch (error) {
      why = error;
    }
  }
  throw new Error(`${what}: not in ${ms / 1000} s (${why})`);
}

export interface Machines {
  /** For files of scenarios. */
  readonly folder: string;
  readonly nodes: readonly Node[];
  readonly members: readonly Member[];
  close(): Promise<void>;
}

/** All of them up; each node has logged in. */
export async function startMachines(network: Network, folder: string): Promise<Machines> {
  const credentials = credentialsIn(folder);
  const members = network.members.map((machine) => new Member(machine, folder, network));
  const owned = network.nodes.map((machine) => ({ machine, own: credentials(machine.name) }));
  const nodes = owned.map(({ machine, own }) => new Node(machine, folder, network, own));
  const close = async (): Promise<void> => {
    await Promise.all([...nodes.map((node) => node.close()), ...members.map((member) => member.kill())]);
  };
  try {
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.healthy()));
    const gateway = new EtcdGateway({ endpoints: members.map(({ endpoint }) => endpoint), timeout: 5000 });
    for (const { own } of owned) await inviteNode(gateway, own);
    await gateway.close();
    // The first makes the account.
    for (const node of nodes) await node.start();
    for (const { api } of nodes) await api.logIn('admin', ADMIN_PASSWORD);
    for (const { api, name } of nodes)
      await until(`${name} knows all others`, async () => {
        const { body } = await api.call('GET', '/api/v1/changes/1');
        return (body.applied as string[]).length === nodes.length;
      });
  } catch (error) {
    await close();
    throw error;
  }
  return { folder, nodes, members, close };
}
