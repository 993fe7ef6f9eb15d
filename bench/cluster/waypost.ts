/**
 * Nodes of Waypost in a cluster over three members of etcd, made as `waypost cluster init`,
 * `invite` and `join` do.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { initCluster, invite, joinCluster } from '../../core/cluster/setup.ts';
import { loadConfig } from '../../core/config/index.ts';
import type { Place } from '../../test/support/network.ts';
import { Probe } from '../dns/probe.ts';
import type { ServerProcess } from '../dns/process.ts';
import { Daemon } from '../dns/waypost.ts';
import { type Etcd, startEtcd } from './etcd.ts';

const DNS_PORT = 53;
const API_PORT = 8053;
const PEER_PORT = 8054;
const KNOWN_MS = 30_000;

export interface Node {
  readonly host: Place;
  readonly daemon: Daemon;
  readonly data: string;
  readonly log: string;
  process: ServerProcess;
}

export interface Cluster {
  readonly nodes: readonly Node[];
  readonly etcd: Etcd;
  /** Of the account `admin`; every node takes it. */
  readonly token: string;
  stop(): Promise<void>;
}

/**
 * A cluster without data; `folder` is emptied. Throws an Error with the end of a log when something
 * does not come up.
 */
export async function startCluster(places: readonly Place[], folder: string): Promise<Cluster> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const etcd = await startEtcd(places, folder);
  const nodes: Node[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.process.stop()));
    await Promise.all(etcd.processes.map((process) => process.stop()));
  };
  try {
    const plans = places.map((host, i) => {
      const data = join(folder, `node-${i + 1}`);
      const daemon = new Daemon(data, DNS_PORT, API_PORT, settings(i, host, etcd), host.address);
      return { host: host, daemon, data, log: join(folder, `node-${i + 1}.log`) };
    });
    const [first, ...others] = plans.map(({ daemon }) => loadConfig({ env: daemon.command().env ?? {} }));
    await initCluster(first);
    for (const config of others) await joinCluster(config, await invite(first, config.nodeName, []));
    for (const plan of plans) {
      const node = { ...plan, process: launch(plan) };
      nodes.push(node);
      await node.daemon.ready(node.process);
    }
    const token = await nodes[0].daemon.token();
    await untilKnown(nodes, token);
    return { nodes, etcd, token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settings(i: number, host: Place, etcd: Etcd): Record<string, string> {
  return {
    WAYPOST_NODE_NAME: `node-${i + 1}`,
    WAYPOST_ETCD_ENDPOINTS: [...etcd.endpoints.slice(i), ...etcd.endpoints.slice(0, i)].join(','),
    WAYPOST_PEER_LISTEN: `${host.address}:${PEER_PORT}`,
    WAYPOST_NAMESERVERS: 'ns1.waypost.test,ns2.waypost.test',
    WAYPOST_DNS_WORKERS: '1',
    // A client that asks each millisecond for a name that is not there yet would get half of the
    // answers; Knot has no limit as configured here.
    WAYPOST_DNS_RRL_RATE: '0',
    WAYPOST_LOG_LEVEL: 'info',
  };
}

const launch = ({ host, daemon, log }: Pick<Node, 'host' | 'daemon' | 'log'>): ServerProcess =>
  host.inside(() => daemon.launch(log));

/**
 * Takes all that the node holds but its certificate, and starts it. Resolves with the seconds from
 * its start until it is ready.
 */
export async function joinAnew(node: Node): Promise<number> {
  await node.process.stop();
  for (const name of readdirSync(node.data))
    if (/^(waypost\.mdb|snapshot\.)/.test(name)) rmSync(join(node.data, name), { recursive: true });
  const began = performance.now();
  node.process = launch(node);
  await node.daemon.ready(node.process);
  return (performance.now() - began) / 1000;
}

/** Resolves when every node has heard from all. */
export async function untilKnown(nodes: readonly Node[], token: string): Promise<void> {
  const end = performance.now() + KNOWN_MS;
  for (const { daemon } of nodes)
    for (;;) {
      const headers = { authorization: `Bearer ${token}` };
      const body = await (await fetch(`${daemon.url}/api/v1/changes/1`, { headers })).text();
      const { applied = [] } = JSON.parse(body) as { applied?: readonly string[] };
      if (applied.length === nodes.length) break;
      if (performance.now() > end) throw new Error(`${daemon.url} knows of ${nodes.length} nodes: ${body}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

export const probesOf = (nodes: readonly Node[]): Probe[] => nodes.map(({ host }) => new Probe(DNS_PORT, host.address));
