/**
 * `waypost cluster local`: runs a cluster on this machine to try it. Three members of etcd and the
 * daemons are child processes, which are stopped with the command.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN_HEAP } from '../../../core/base/main-heap.ts';
import { initCluster, invite, joinCluster } from '../../../core/cluster/setup.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { EtcdUnavailable } from '../../../core/journal/etcd-client/errors.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, print } from '../base/io.ts';
import { commandWith } from './settings.ts';

interface LocalCluster {
  readonly nodes: number;
  /** Folder for all data. */
  readonly folder: string;
  /** The first port; etcd and each node use ten ports. */
  readonly port: number;
  readonly etcd: string;
}

const MEMBERS = 3;
const READY_MS = 60_000;

/**
 * Resolves after a signal. Rejects with CliError if a process does not start, or exits
 * unexpectedly.
 */
export async function runLocalCluster(io: CliIo, { nodes, folder, port, etcd }: LocalCluster): Promise<void> {
  const children: ChildProcess[] = [];
  const started = new Set<Promise<never>>();
  let isStopping = false;

  /** Starts a process. Its output goes to standard error, with its name before each line. */
  const start = (name: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const seen = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        seen.text = `${seen.text}${line}\n`.slice(-20_000);
        if (!name.startsWith('etcd') || /"level":"(error|fatal)"/.test(line)) print(io.stderr, `${name} | ${line}`);
      });
    const ended = new Promise<never>((_, reject) => {
      child.on('error', ({ message }) => reject(new CliError('not_started', `Cannot start ${command}: ${message}.`)));
      child.on('exit', (code, signal) => {
        if (!isStopping) reject(new CliError('ended', `${name} exited unexpectedly (${signal ?? code}).`));
      });
    });
    ended.catch(() => {});
    started.add(ended);
    return seen;
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    // Daemons first, because they deregister from etcd.
    for (const child of children.slice(MEMBERS)) child.kill('SIGTERM');
    await Promise.all(children.slice(MEMBERS).map(waitForExit));
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map(waitForExit));
  };
  const signalled = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  const orExit = <T>(work: Promise<T>): Promise<T> => Promise.race([work, ...started]);

  try {
    const client = (i: number): string => `http://127.0.0.1:${port + 2 * i}`;
    const peer = (i: number): string => `http://127.0.0.1:${port + 2 * i + 1}`;
    const members = Array.from({ length: MEMBERS }, (_, i) => i);
    makeFolder(folder);
    for (const i of members)
      start(`etcd-${i + 1}`, etcd, etcdArguments(i, join(folder, `etcd-${i + 1}`), client, peer, members), io.env);
    const endpoints = members.map(client).join(',');
    const environments = Array.from({ length: nodes }, (_, i) => nodeEnvironment(io.env, i, folder, port, endpoints));
    await orExit(joinAll(environments, () => isStopping));
    const first = environments[0];
    for (const env of environments) {
      const seen = start(`${env.WAYPOST_NODE_NAME}`, process.execPath, [...MAIN_HEAP, process.argv[1], 'serve'], env);
      await orExit(
        waitUntil(() => isStopping || /^waypost ready/m.test(seen.text), `${env.WAYPOST_NODE_NAME} is not ready`),
      );
    }
    print(io.stdout, `${nodes} nodes and ${MEMBERS} members of etcd are running; their data is in ${folder}:`);
    for (const env of environments)
      print(
        io.stdout,
        `  ${env.WAYPOST_NODE_NAME}  DNS ${env.WAYPOST_DNS_LISTEN}  API http://${env.WAYPOST_ADMIN_LISTEN}`,
      );
    print(io.stdout, `Log in with: waypost --url http://${first.WAYPOST_ADMIN_LISTEN} token create --login admin`);
    print(
      io.stdout,
      `Show the state of each node with: ${commandWith({ dataDir: first.WAYPOST_DATA_DIR }, {}, 'cluster', 'status')}`,
    );
    print(io.stdout, 'Ctrl-C stops them all; the data is kept.');
    await Promise.race([signalled, ...started]);
  } finally {
    await stop();
  }
}

function etcdArguments(
  i: number,
  folder: string,
  client: (i: number) => string,
  peer: (i: number) => string,
  members: readonly number[],
): string[] {
  return [
    ...['--name', `etcd-${i + 1}`, '--data-dir', folder, '--logger', 'zap', '--log-level', 'warn'],
    ...['--listen-client-urls', client(i), '--advertise-client-urls', client(i)],
    ...['--listen-peer-urls', peer(i), '--initial-advertise-peer-urls', peer(i)],
    ...['--initial-cluster', members.map((member) => `etcd-${member + 1}=${peer(member)}`).join(',')],
    ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', '10000'],
  ];
}

function nodeEnvironment(env: NodeJS.ProcessEnv, i: number, folder: string, port: number, endpoints: string) {
  const own = port + 10 * (i + 1);
  return {
    ...env,
    WAYPOST_NODE_NAME: `node-${i + 1}`,
    WAYPOST_DATA_DIR: join(folder, `node-${i + 1}`),
    WAYPOST_ETCD_ENDPOINTS: endpoints,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${own}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${own + 1}`,
    WAYPOST_PEER_LISTEN: `127.0.0.1:${own + 2}`,
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${own + 3}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${own + 4}`,
    WAYPOST_DNS_WORKERS: env.WAYPOST_DNS_WORKERS ?? '1',
    WAYPOST_EDGE_WORKERS: env.WAYPOST_EDGE_WORKERS ?? '1',
  };
}

/**
 * The first node creates the cluster when etcd responds. The other nodes join by invitation, unless
 * they are already members.
 */
async function joinAll([first, ...others]: readonly NodeJS.ProcessEnv[], isStopping: () => boolean): Promise<void> {
  const config = loadConfig({ env: first });
  for (const deadline = Date.now() + READY_MS; ; await sleep(200)) {
    try {
      await initCluster(config);
      break;
    } catch (error) {
      if (!(error instanceof EtcdUnavailable) || isStopping() || Date.now() > deadline) throw error;
    }
  }
  for (const env of others) {
    const own = loadConfig({ env });
    if (existsSync(join(own.dataDir, 'cluster/node.key'))) continue;
    await joinCluster(own, await invite(config, own.nodeName, []));
  }
}

async function waitUntil(isThere: () => boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; !isThere(); await sleep(20))
    if (Date.now() > deadline) throw new CliError('not_started', `${what} after ${READY_MS / 1000} seconds.`);
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((done) => child.once('exit', () => done()));
}
