/**
 * `node dist/bench/attacks/removed-node.js [--main FILE]`: what a node that was removed, and its
 * certificate, can still do. A cluster with a member of etcd of its own, by the commands; a row for
 * each action.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { EtcdGateway } from '../../core/journal/etcd-client/gateway.ts';
import { type Operation, put, range, remove } from '../../core/journal/etcd-client/messages.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { type Child, startChild } from '../../test/support/child.ts';
import { ADMIN_PASSWORD, environment, MAIN, USUAL } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { attackOptions } from './stage.ts';

const READY_MS = 30_000;
const { main = MAIN } = attackOptions('removed-node', 'What a removed node and its certificate can still do.');

const folder = mkdtempSync(join(tmpdir(), 'removed-node-'));
const endpoint = `https://127.0.0.1:${await freePort()}`;
// The next one is etcd's, for its own peers.
await freePort();
const children: Child[] = [];
const dataOf = (name: string): string => join(folder, name);
const envOf = (name: string): NodeJS.ProcessEnv =>
  environment({ ...USUAL, WAYPOST_DATA_DIR: dataOf(name), WAYPOST_ETCD_ENDPOINTS: endpoint });

async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const child = startChild(process.execPath, [main, 'cluster', ...args], env);
  const code = await child.ended();
  if (code !== 0) throw new Error(`cluster ${args.join(' ')}: ${child.output()}`);
  return child.output();
}

interface Running {
  readonly api: ApiClient;
  readonly peerPort: number;
  readonly child: Child;
}

/** Null: it does not start. */
async function serve(name: string, data = name): Promise<Running | null> {
  const [adminPort, peerPort, dnsPort] = [await freePort(), await freePort(), await freePort()];
  const child = startChild(process.execPath, [main, 'serve'], {
    ...envOf(data),
    WAYPOST_NODE_NAME: name,
    WAYPOST_PEER_LISTEN: `127.0.0.1:${peerPort}`,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
  });
  children.push(child);
  for (const end = Date.now() + READY_MS; Date.now() < end && !child.exited(); await sleep(50)) {
    if (!/^waypost ready/m.test(child.output())) continue;
    const api = new ApiClient(`http://127.0.0.1:${adminPort}`);
    await api.logIn('admin', ADMIN_PASSWORD);
    return { api, peerPort, child };
  }
  process.stderr.write(`${name}: ${child.output().slice(-400)}\n`);
  return null;
}

const shown = (name: string): { ca: string; certificate: string; key: string } => {
  const read = (file: string): string => readFileSync(join(dataOf(name), 'cluster', file), 'utf8');
  return { ca: read('ca.pem'), certificate: read('node.pem'), key: read('node.key') };
};

async function snapshotStatus(port: number, name: string): Promise<string> {
  const { ca, certificate: cert, key } = shown(name);
  const dispatcher = new Agent({ connect: { ca, cert, key, servername: 'node-1' } });
  try {
    const { statusCode, body } = await request(`https://127.0.0.1:${port}/v1/snapshot`, { dispatcher });
    body.on('error', () => {});
    body.destroy();
    return String(statusCode);
  } catch {
    return 'no connection';
  } finally {
    await dispatcher.destroy();
  }
}

async function atEtcd(name: string, operation: Operation): Promise<string> {
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: 3000, tls: shown(name) });
  try {
    await gateway.transaction([], [operation]);
    return 'done';
  } catch {
    return 'refused';
  } finally {
    await gateway.close();
  }
}

const row = (action: string, outcome: string): void => void process.stdout.write(`| ${action} | ${outcome} |\n`);

try {
  const first = { ...envOf('node-1'), WAYPOST_NODE_NAME: 'node-1' };
  const init = ['init', '--json', '--host', '127.0.0.1', '--etcd', endpoint];
  const { etcd } = JSON.parse(await run(first, ...init)) as { etcd: { start: string[] } };
  children.push(startChild(etcd.start[0], [...etcd.start.slice(1), '--log-level', 'error'], process.env));
  for (let tries = 0; ; tries++) {
    const begun = await run(first, ...init).then(
      (value) => (JSON.parse(value) as { begun: boolean }).begun,
      () => false,
    );
    if (begun) break;
    if (tries > 50) throw new Error('etcd does not answer');
    await sleep(200);
  }
  const remaining = await serve('node-1');
  if (remaining === null) throw new Error('node-1 does not start');
  const invited = async (name: string, data: string): Promise<void> => {
    await run(first, 'invite', name, '--out', join(folder, `${data}.invitation`));
    await run(envOf(data), 'join', join(folder, `${data}.invitation`));
  };
  await invited('node-2', 'node-2');
  const member = await serve('node-2');
  await member?.child.stop();
  await run(first, 'remove', 'node-2');
  await sleep(2000);
  const port = remaining.peerPort;

  const asIs = await serve('node-2');
  row('starts with its old folder', asIs === null ? 'refused' : 'serves');
  await asIs?.child.stop();
  rmSync(join(dataOf('node-2'), 'node.id'));
  const back = await serve('node-2');
  row('starts after `rm node.id`', back === null ? 'refused' : 'serves');
  const write = await back?.api.request('POST', '/api/v1/domains', { domain: 'by-the-removed.example' });
  await sleep(1000);
  const { text } = await remaining.api.request('GET', '/api/v1/domains');
  const isTaken = text.includes('by-the-removed.example');
  row('its write is served by node-1', isTaken ? `yes (${write?.status})` : 'no');
  if (back !== null) {
    await back.child.stop();
    await run(first, 'remove', 'node-2');
    await sleep(1000);
  }
  row('snapshot of the store from node-1, with its certificate', await snapshotStatus(port, 'node-2'));
  const key = '/waypost/by-the-removed';
  row('etcd: get', await atEtcd('node-2', range('/waypost/head')));
  row('etcd: put', await atEtcd('node-2', put(key, Buffer.from('x'))));
  row('etcd: delete', await atEtcd('node-2', remove(key)));
  await invited('node-2', 'heir');
  const heir = await serve('node-2', 'heir');
  row('snapshot, after another node got its name', await snapshotStatus(port, 'node-2'));
  row('snapshot, by the node that has the name now', await snapshotStatus(port, 'heir'));
  row(
    'node-1 takes writes',
    String((await remaining.api.request('POST', '/api/v1/domains', { domain: 'end.example' })).status),
  );
  await heir?.child.stop();
} finally {
  for (const child of children.reverse()) await child.stop('SIGKILL');
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
