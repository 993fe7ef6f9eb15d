/** The load of a soak: a loop for each kind of work, at a fixed rate, until it is stopped. */
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { queryTcp, UdpClient } from '../../test/support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../test/support/message.ts';
import { removeFolder, temporaryFolder } from '../../test/support/temp.ts';
import { packageIn, upload } from '../../test/system/cluster/a-package.ts';
import type { SoakNode, SoakRig } from './rig.ts';

export type Kind =
  | 'udp'
  | 'tcp'
  | 'tls'
  | 'write'
  | 'domain'
  | 'http1'
  | 'http2'
  | 'handshake'
  | 'purge'
  | 'audit'
  | 'certificate'
  | 'restart';

/** What was done of each kind, and what went wrong. */
export class Tally {
  readonly done = new Map<Kind, number>();
  readonly failed = new Map<Kind, number>();
  /** The first failures, in words. */
  readonly failures: string[] = [];

  add(kind: Kind): void {
    this.done.set(kind, (this.done.get(kind) ?? 0) + 1);
  }

  fail(kind: Kind, why: string): void {
    this.failed.set(kind, (this.failed.get(kind) ?? 0) + 1);
    const line = `${new Date().toISOString()} ${kind}: ${why}`;
    if (this.failures.push(line) <= MAX_FAILURES) console.log(line);
    else this.failures.pop();
  }

  get failureCount(): number {
    return [...this.failed.values()].reduce((sum, count) => sum + count, 0);
  }
}

const MAX_FAILURES = 200;
/** Domains that are written to: few, so that their histories are full within the first minutes. */
const WRITTEN = 4;
const SITE = 'site.soak.test';
/** Sites that renew in turn: a site waits longer after each certificate of a day. */
const RENEWED = 24;
const LIMIT_MS = 20_000;
/** Between the stop of a node and its start. */
const DOWN_MS = 5000;
const RESTART_EVERY_MS = 300_000;

export interface Load {
  readonly tally: Tally;
  /** What the processes that were stopped have printed. */
  readonly ended: readonly string[];
  stop(): Promise<void>;
}

export async function startLoad(rig: SoakRig): Promise<Load> {
  const tally = new Tally();
  const ended: string[] = [];
  const { nodes, roots } = rig;
  const { api } = nodes[0].daemon;
  const domains: string[] = [];
  for (let i = 0; i < WRITTEN; i++) {
    domains.push(await api.createDomain(`written${i}.soak.test`));
    await api.createRecord(domains[i], 'www', 'A', '192.0.2.1');
  }
  const addSite = async (name: string): Promise<string> => {
    const site = await api.createDomain(name);
    for (const host of ['@', 'www']) await api.createRecord(site, host, 'A', '192.0.2.1');
    const path = `/api/v1/domains/${site}/proxy`;
    await api.call('PUT', path, { origin: '127.0.0.1', port: rig.origin, protocol: 'http' });
    await api.call('POST', `${path}/toggle`, { enable: true });
    await untilActive(rig, path, null);
    return path;
  };
  const proxy = await addSite(SITE);
  const renewed: string[] = [];
  for (let i = 0; i < RENEWED; i++) renewed.push(await addSite(`renewed${i}.soak.test`));

  const ca = [...roots];
  const agents = new Map(nodes.map(({ name }) => [name, new Agent({ keepAlive: true, maxSockets: 4, ca })]));
  const clients = new Map<string, UdpClient>();
  for (const { name, dns } of nodes) clients.set(name, await UdpClient.connect(dns));
  let isStopped = false;
  let turn = 0;
  /** The nodes in turn, without the one that is stopped. */
  const next = (): SoakNode => {
    const up = nodes.filter(({ isUp }) => isUp);
    return up[turn++ % up.length];
  };
  const loops: Promise<void>[] = [];
  /** `work` counts as failed if it throws, unless its node was stopped meanwhile. */
  const every = (ms: number, kind: Kind, work: (node: SoakNode, n: number) => Promise<void>): void => {
    const loop = async (): Promise<void> => {
      for (let n = 0; !isStopped; n++) {
        const began = performance.now();
        const node = next();
        const { pid } = node.daemon.child;
        try {
          await work(node, n);
          tally.add(kind);
        } catch (error) {
          if (node.isUp && node.daemon.child.pid === pid) tally.fail(kind, `${node.name}: ${(error as Error).message}`);
        }
        await sleep(Math.max(0, ms - (performance.now() - began)));
      }
    };
    loops.push(loop());
  };
  const question = (n: number): Uint8Array =>
    encodeQuery({ name: parseName(nameOf(n)), type: n % 5 === 0 ? TYPE.AAAA : TYPE.A, class: 1 }, n % 65_536);
  const check = (response: Uint8Array | null): void => {
    if (response === null) throw new Error('no response');
    const { rcode } = decodeMessage(response).header;
    if (rcode !== 0 && rcode !== 3) throw new Error(`RCODE ${rcode}`);
  };

  // A burst of queries every 50 ms costs the generator less than as many timers.
  every(50, 'udp', async (node, n) => {
    const client = clients.get(node.name)!;
    const burst = Array.from({ length: UDP_BURST }, (_, i) => client.query(question(n * UDP_BURST + i)));
    for (const response of await Promise.all(burst)) check(response);
  });
  every(500, 'tcp', async ({ dns }, n) => {
    for (const response of await queryTcp(dns, [question(n), question(n + 1)], LIMIT_MS)) check(response);
  });
  every(1000, 'tls', async ({ dot }, n) => check(await queryTls(dot, ca, question(n))));
  every(250, 'write', async ({ daemon }, n) => {
    const id = domains[n % WRITTEN];
    const type = n % 3 === 0 ? 'TXT' : 'A';
    const record = await daemon.api.createRecord(id, `r${n}`, type, contentOf(n));
    const path = `/api/v1/domains/${id}/records/${record}`;
    await daemon.api.call('PUT', path, { name: `r${n}`, type, content: contentOf(n + 3), ttl: 60 });
    await daemon.api.call('DELETE', path);
  });
  every(20_000, 'domain', async ({ daemon }, n) => {
    const id = await daemon.api.createDomain(`d${n}.soak.test`);
    await daemon.api.createRecord(id, '@', 'MX', '10 mail.example.com');
    if (n % 3 === 0) await daemon.api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
    await sleep(5000);
    await daemon.api.call('DELETE', `/api/v1/domains/${id}`);
  });
  every(50, 'http1', async (node, n) => {
    const path = n % 4 === 0 ? `/miss/${n}` : `/${1000 + (n % 400) * 50}`;
    await get(node, agents.get(node.name)!, path);
  });
  every(1000, 'http2', async ({ https }, n) => getHttp2(https, ca, [`/${2000 + (n % 50)}`, '/miss', `/${n % 3000}`]));
  every(1000, 'handshake', async (node) => {
    const agent = new Agent({ ca });
    await get(node, agent, '/100').finally(() => agent.destroy());
  });
  every(60_000, 'purge', async ({ daemon }) => void (await daemon.api.call('POST', `${proxy}/purge`, {})));
  const folder = temporaryFolder('soak-package');
  every(30_000, 'audit', async ({ daemon }, n) => {
    const content = await packageIn(folder, `\n// ${n}\nconst value${n} = ${n};\n`, `com.example.soak${n}`);
    removeFolder(join(folder, `com.example.soak${n}`));
    await upload(`http://127.0.0.1:${daemon.adminPort}`, daemon.api, content);
  });
  every(120_000, 'certificate', async (_node, n) => {
    const path = renewed[n % RENEWED];
    const { body } = await api.call('GET', path);
    const { ssl_expires_at: before } = body.proxy as { ssl_expires_at: string };
    await api.call('POST', `${path}/certificate`);
    await untilActive(rig, path, before);
  });
  const restart = async (): Promise<void> => {
    const { restarted } = rig;
    for (;;) {
      for (let waited = 0; waited < RESTART_EVERY_MS; waited += 1000) {
        if (isStopped) return;
        await sleep(1000);
      }
      restarted.isUp = false;
      // Requests in flight there end first.
      await sleep(1000);
      const { child } = restarted.daemon;
      const code = await restarted.daemon.stop();
      ended.push(child.output());
      if (code !== 0) tally.fail('restart', `it ended with ${code}`);
      await sleep(DOWN_MS);
      await restarted.daemon.start();
      restarted.isUp = true;
      tally.add('restart');
    }
  };
  loops.push(restart().catch((error: Error) => tally.fail('restart', error.message)));
  return {
    tally,
    ended,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
      for (const client of clients.values()) client.close();
      for (const agent of agents.values()) agent.destroy();
      removeFolder(folder);
    },
  };
}

/** Queries of a burst: 20 bursts a second. */
const UDP_BURST = 20;

const nameOf = (n: number): string =>
  n % 3 === 0
    ? `www.written${n % WRITTEN}.soak.test`
    : n % 3 === 1
      ? `missing${n % 500}.${SITE}`
      : `r${n % 97}.${SITE}`;
const contentOf = (n: number): string => (n % 3 === 0 ? `"text ${n}"` : `192.0.2.${n % 250}`);

async function untilActive(rig: SoakRig, proxy: string, before: string | null): Promise<void> {
  const { api } = rig.nodes[0].daemon;
  for (const deadline = Date.now() + 60_000; ; await sleep(500)) {
    const { ssl_status: status, ssl_expires_at: expires } = (await api.call('GET', proxy)).body.proxy as {
      ssl_status: string;
      ssl_expires_at: string | null;
    };
    if (status === 'active' && expires !== before) return;
    if (Date.now() > deadline) throw new Error(`the certificate is ${status} after a minute`);
  }
}

/** Over HTTP/1.1; rejects unless the whole answer has come, with the status 200. */
function get({ https }: SoakNode, agent: Agent, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: https, servername: SITE, headers: { host: SITE }, agent, path };
    const sent = request({ ...options, timeout: LIMIT_MS }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path}: status ${response.statusCode}`)),
      );
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`${path}: no answer in time`)));
    sent.once('error', reject);
    sent.end();
  });
}

async function getHttp2(port: number, ca: readonly string[], paths: readonly string[]): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: [...ca], servername: SITE });
  const failed = new Promise<never>((_, reject) => session.once('error', reject));
  failed.catch(() => {});
  try {
    const all = paths.map(
      (path) =>
        new Promise<void>((resolve, reject) => {
          const stream = session.request({ ':path': path, ':authority': SITE });
          let status = 0;
          stream.once('response', (headers) => {
            status = Number(headers[':status']);
          });
          stream.setTimeout(LIMIT_MS, () => reject(new Error(`${path}: no answer in time`)));
          stream.once('end', () => (status === 200 ? resolve() : reject(new Error(`${path}: status ${status}`))));
          stream.once('error', reject);
          stream.resume();
        }),
    );
    await Promise.race([Promise.all(all), failed]);
  } finally {
    session.destroy();
  }
}

/** One query over a connection of its own. */
function queryTls(port: number, ca: readonly string[], packet: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca: [...ca], servername: 'ns.soak.test', timeout: LIMIT_MS });
    let received = Buffer.alloc(0);
    socket.once('secureConnect', () => socket.write(Buffer.concat([Buffer.from([0, packet.length]), packet])));
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      resolve(new Uint8Array(received.subarray(2, 2 + received.readUInt16BE(0))));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no response in time')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without a response')));
  });
}
