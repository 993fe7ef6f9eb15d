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
import { commandWith, shell } from './settings.ts';

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
 * Resolves after a signal. Rejects with CliError if a process does not start, exits before all are
 * ready, or if no node is left. Later, a process that exits is reported, and not started again.
 */
export async function runLocalCluster(io: CliIo, { nodes, folder, port, etcd }: LocalCluster): Promise<void> {
  const children: ChildProcess[] = [];
  const started = new Set<Promise<never>>();
  let isStopping = false;
  let isRunning = false;
  /** Names of the processes that run. */
  const alive = new Set<string>();

  /** Starts a process. Its output goes to standard error, with its name before each line. */
  const start = (
    name: string,
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    settings: Readonly<Record<string, string>> = {},
  ) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    alive.add(name);
    const seen = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        seen.text = `${seen.text}${line}\n`.slice(-20_000);
        if (!name.startsWith('etcd') || /"level":"(error|fatal)"/.test(line)) print(io.stderr, `${name} | ${line}`);
      });
    const ended = new Promise<never>((_, reject) => {
      child.on('error', ({ message }) => reject(new CliError('not_started', `Cannot start ${command}: ${message}.`)));
      child.on('exit', (code, signal) => {
        alive.delete(name);
        if (isStopping) return;
        if (!isRunning) return reject(new CliError('ended', `${name} exited unexpectedly (${signal ?? code}).`));
        const serving = environments.filter(({ WAYPOST_NODE_NAME: node }) => alive.has(node));
        if (serving.length === 0)
          return reject(new CliError('ended', `${name} exited (${signal ?? code}): no node is left.`));
        const assignments = Object.entries(settings).map(([variable, value]) => `${variable}=${shell([value])}`);
        for (const line of [
          `${name} exited (${signal ?? code}); ${remaining(alive, serving.length)}. Look at the state of the nodes with:`,
          `  ${statusCommand(serving[0])}`,
          `and start ${name} again with:`,
          `  ${[...assignments, shell([command, ...args])].join(' ')}`,
        ])
          print(io.stdout, line);
      });
    });
    ended.catch(() => {});
    started.add(ended);
    return seen;
  };
  const client = (i: number): string => `http://127.0.0.1:${port + 2 * i}`;
  const peer = (i: number): string => `http://127.0.0.1:${port + 2 * i + 1}`;
  const members = Array.from({ length: MEMBERS }, (_, i) => i);
  const endpoints = members.map(client).join(',');
  const environments = Array.from({ length: nodes }, (_, i) => nodeSettings(io.env, i, folder, port, endpoints));
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
    makeFolder(folder);
    for (const i of members)
      start(`etcd-${i + 1}`, etcd, etcdArguments(i, join(folder, `etcd-${i + 1}`), client, peer, members), io.env);
    const withOwn = (settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({ ...io.env, ...settings });
    await orExit(joinAll(environments.map(withOwn), () => isStopping));
    const first = environments[0];
    for (const settings of environments) {
      const { WAYPOST_NODE_NAME: name } = settings;
      const args = [...MAIN_HEAP, process.argv[1], 'serve'];
      const seen = start(name, process.execPath, args, withOwn(settings), settings);
      await orExit(waitUntil(() => isStopping || /^waypost ready/m.test(seen.text), `${name} is not ready`));
    }
    isRunning = true;
    print(io.stdout, `${nodes} nodes and ${MEMBERS} members of etcd are running; their data is in ${folder}:`);
    for (const env of environments)
      print(
        io.stdout,
        `  ${env.WAYPOST_NODE_NAME}  DNS ${env.WAYPOST_DNS_LISTEN}  API http://${env.WAYPOST_ADMIN_LISTEN}`,
      );
    print(io.stdout, `Log in with: waypost --url http://${first.WAYPOST_ADMIN_LISTEN} token create --login admin`);
    print(io.stdout, `Show the state of each node with: ${statusCommand(first)}`);
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

const statusCommand = ({ WAYPOST_DATA_DIR: dataDir }: { readonly WAYPOST_DATA_DIR: string }): string =>
  commandWith({ dataDir }, {}, 'cluster', 'status');

/** What still works without the processes that have exited. `nodes`: the number that runs. */
function remaining(alive: ReadonlySet<string>, nodes: number): string {
  const voters = [...alive].filter((name) => name.startsWith('etcd')).length;
  const serving = nodes === 1 ? 'one node serves' : `${nodes} nodes serve`;
  return voters > MEMBERS / 2
    ? `${serving} and ${nodes === 1 ? 'accepts' : 'accept'} writes`
    : `${serving}, without writes: etcd has lost its majority`;
}

/** The settings in which the nodes differ from the environment of the command. */
function nodeSettings(env: NodeJS.ProcessEnv, i: number, folder: string, port: number, endpoints: string) {
  const own = port + 10 * (i + 1);
  return {
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
