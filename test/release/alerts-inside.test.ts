/** Alerts of faults inside a daemon: its threads, its files, its queues, and nodes of a cluster. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_LIMITS } from '../../admin-api/miniapp/audit/archive/limits.ts';
import { openFolder } from '../../admin-api/miniapp/audit/archive/open-folder.ts';
import { packageFolderOf } from '../../admin-api/miniapp/audit/archive/package-folder.ts';
import { writeArchive } from '../../admin-api/miniapp/audit/archive/write-archive.ts';
import { Findings } from '../../admin-api/miniapp/audit/findings.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { remove } from '../../core/journal/etcd-client/messages.ts';
import { openEnvironment } from '../../core/store/environment.ts';
import { sequenceKey } from '../../core/store/keys.ts';
import { dnssec } from '../../core/store/rows.ts';
import { StoreReader } from '../../core/store/store-reader.ts';
import { queryTcp } from '../support/dns-client.ts';
import { encodeQuery } from '../support/message.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { edgeSettings } from '../support/shared-daemon.ts';
import { fill, withSmallDisk } from '../support/small-disk.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { packageIn, upload } from '../system/cluster/a-package.ts';
import { startCluster } from '../system/cluster/rig.ts';
import { makeNextVersion } from '../system/cluster/suite/next-version.ts';
import { makeRoot, sitesOf } from '../system/edge/site/rig.ts';
import { http1Visitor } from '../system/edge/site/visitor.ts';
import { withDaemon, withPrometheus } from './alert-watch.ts';

const QUESTION = { name: parseName('www.asked.test.'), type: TYPE.A, class: 1 };
const queries = (count: number): Uint8Array[] => Array.from({ length: count }, (_, i) => encodeQuery(QUESTION, i));
/** Stops a thread for two seconds. */
const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)';

const missing = whyNotPrograms('prometheus', 'etcd');
if (missing !== null) console.log(`Skipped: alerts are not tried with Prometheus: ${missing}.`);
else {
  test('threads that die and hang, and more queries than the query log takes', async () => {
    const inspect = await freePort();
    const settings = { WAYPOST_DNS_QUERY_LOG: '1', WAYPOST_STATISTICS_SAMPLING: '1', WAYPOST_LOG_LEVEL: 'info' };
    const use: Parameters<typeof withDaemon>[1] = async (daemon) => {
      const id = await daemon.api.createDomain('asked.test');
      await daemon.api.createRecord(id, 'www', 'A', '192.0.2.1');
      const threads = await openThreads(inspect);
      const all = withPrometheus([daemon], ({ untilFired }) =>
        untilFired(['WaypostThreadRestarts', 'WaypostStatisticsLost', 'WaypostLogsDropped'], async () => {
          await threads.run(/statistics/, HANG);
          await Promise.all(Array.from({ length: 4 }, () => queryTcp(daemon.dnsPort, queries(2000))));
          await threads.run(/dns.* tcp/i, 'process.exit(1)');
          // The thread reports what it has missed.
          await sleep(4000);
        }),
      );
      // The daemon does not end before the inspector is left.
      await all.finally(() => threads.close());
    };
    await withDaemon(settings, use, { options: [`--inspect=127.0.0.1:${inspect}`] });
  });

  test('a processor that is taken away while packets are answered', () =>
    withDaemon({ WAYPOST_DNS_RRL_RATE: '0' }, async ({ api, adminPort, dnsPort, child }) => {
      const id = await api.createDomain('asked.test');
      await api.createRecord(id, 'www', 'A', '192.0.2.1');
      const client = createSocket('udp4');
      const [query] = queries(1);
      await withPrometheus([{ adminPort }], ({ untilFired }) =>
        untilFired(['WaypostDnsSlow'], async () => {
          for (let i = 0; i < 20; i++) {
            process.kill(child.pid, 'SIGSTOP');
            for (let k = 0; k < 300; k++) client.send(query, dnsPort, '127.0.0.1');
            await sleep(60);
            process.kill(child.pid, 'SIGCONT');
            await sleep(1);
          }
          process.kill(child.pid, 'SIGCONT');
          await sleep(1000);
        }),
      );
      client.close();
    }));

  test('a disk without room', () =>
    withSmallDisk(64 << 20, async (folder) => {
      const settings = { WAYPOST_DATA_DIR: join(folder, 'data'), WAYPOST_PROTECTION_DISK_RESERVE: '0' };
      await withDaemon(settings, async (daemon) => {
        const id = await daemon.api.createDomain('full.test');
        await withPrometheus([daemon], async ({ untilFired }) => {
          fill(folder, 0);
          let round = 0;
          await untilFired(['WaypostJournalFails'], async () => {
            const content = `"${'x'.repeat(250)}" `.repeat(8);
            const path = `/api/v1/domains/${id}/records`;
            const { status } = await daemon.api.request('POST', path, { name: `r${round++}`, type: 'TXT', content });
            assert.is.not(status, 422);
          });
        });
      });
    }));

  test('an account that fills the store, and packages that come faster than they are audited', async () => {
    const folder = temporaryFolder('packages');
    try {
      await withDaemon({}, async (daemon) => {
        const { api, adminPort } = daemon;
        const id = await api.createDomain('large.test');
        const lines = Array.from({ length: 20_000 }, (_, i) => `n${i} A 192.0.2.1`).join('\n');
        const imported = await api.request('PUT', `/api/v1/domains/${id}/zonefile`, lines, 'text/dns');
        assert.is(imported.status, 200, imported.text);
        // The sizes of accounts are read at the start, and then once a minute.
        await daemon.stop();
        await daemon.start();
        const packages = await packagesIn(folder);
        await withPrometheus(
          [daemon],
          ({ untilFired }) =>
            untilFired(['WaypostAccountLarge', 'WaypostAuditsWait'], async () => {
              // Each is new once.
              const uploads = packages
                .splice(0)
                .map((content) => upload(`http://127.0.0.1:${adminPort}`, api, content));
              await Promise.all([...uploads, sleep(200)]);
            }),
          { '0.25 * max': '0.05 * max', '> 4e9': '> 1e6', '> 20\n': '> 2\n' },
        );
      });
    } finally {
      removeFolder(folder);
    }
  });

  test('private keys that are damaged, and a part of the journal that is gone before its webhooks', () =>
    withDaemon({ WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: 'true' }, async (daemon) => {
      const { api } = daemon;
      const id = await api.createDomain('signed.test');
      await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
      await api.call('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['domain.created'] });
      // Without an event, the position of the queue is not stored for each change.
      for (let i = 0; i < 5; i++) await api.createRecord(id, `r${i}`, 'A', '192.0.2.1');
      await withPrometheus([daemon], async ({ untilFired }) => {
        await daemon.stop();
        const environment = openEnvironment(daemon.dataDir);
        const reader = new StoreReader(environment);
        const position = Number(reader.webhookQueue()?.position);
        const row = reader.dnssec(Number(id))!;
        const keys = row.keys.map((key) => ({ ...key, sealed: Buffer.alloc(96, 7).toString('base64') }));
        await environment.rows.get(dnssec.number)!.put(dnssec.key(row), dnssec.encode({ ...row, keys }));
        await environment.journal.remove(sequenceKey(position + 2));
        await environment.close();
        await daemon.start();
        await untilFired(['WaypostSigningFaults', 'WaypostWebhooksLost'], () =>
          api.request('POST', `/api/v1/domains/${id}/records`, { name: 'x', type: 'A', content: '192.0.2.2' }),
        );
      });
    }));

  test('a disk cache whose files are damaged', async () => {
    const root = makeRoot('Root of sites');
    const origin = createServer((_, response) =>
      response.writeHead(200, { 'cache-control': 'max-age=3600', 'content-type': 'image/png' }).end('x'.repeat(50_000)),
    );
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const settings = {
      ...(await edgeSettings()),
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      WAYPOST_EDGE_CACHE_DISK: '64MB',
    };
    try {
      await withDaemon(settings, async (daemon) => {
        const { addSite, https } = await sitesOf(daemon, root);
        const { port } = origin.address() as AddressInfo;
        await addSite('site.test', { host: '127.0.0.1', port, protocol: 'http' });
        const visitor = http1Visitor(https, root.pem);
        const visitAll = async (): Promise<void> => {
          for (let i = 0; i < 20; i++) await visitor.visit('site.test', `/${i}.png`);
        };
        await visitAll();
        await withPrometheus([daemon], async ({ untilFired }) => {
          await daemon.stop();
          damage(join(daemon.dataDir, 'cache'));
          await daemon.start();
          await untilFired(['WaypostCacheDamaged'], visitAll);
        });
      });
    } finally {
      origin.closeAllConnections();
      origin.close();
    }
  });

  test('a log of the cluster that is gone', async () => {
    const { nodes, etcd, close } = await startCluster(1);
    try {
      await withPrometheus(nodes, async ({ untilFired }) => {
        await etcd.gateway.transaction([], [remove('/waypost/', '/waypost0')]);
        await untilFired(['WaypostNotFollowing']);
      });
    } finally {
      await close();
    }
  });

  test('nodes of two versions', async () => {
    const folder = temporaryFolder('next');
    const { nodes, close } = await startCluster(2);
    try {
      const [, b] = nodes;
      await b.stop();
      await b.start(makeNextVersion(folder));
      await withPrometheus(nodes, ({ untilFired }) => untilFired(['WaypostUpgradeUnfinished']));
    } finally {
      await close();
      removeFolder(folder);
    }
  });
}

interface InspectorMessage {
  readonly method: string;
  readonly params: { readonly sessionId: string; readonly workerInfo?: { readonly title: string } };
}

interface WorkerThreads {
  /** Runs JavaScript in a thread, and does not wait for it. Waits for a thread of that name. */
  run(name: RegExp, script: string): Promise<void>;
  close(): void;
}

/** The threads of a daemon, by the protocol of the inspector. `port`: of --inspect. */
async function openThreads(port: number): Promise<WorkerThreads> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  /** By the session: the title of the thread. */
  const titles = new Map<string, string>();
  let id = 0;
  const send = (method: string, params: object): void => socket.send(JSON.stringify({ id: ++id, method, params }));
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as InspectorMessage;
    if (method === 'NodeWorker.attachedToWorker') titles.set(params.sessionId, params.workerInfo?.title ?? '');
    if (method === 'NodeWorker.detachedFromWorker') titles.delete(params.sessionId);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async run(name, expression) {
      await untilPasses(() => {
        const [sessionId] = [...titles].find(([, title]) => name.test(title)) ?? [];
        if (sessionId === undefined) throw new Error(`no thread ${name} among ${[...titles.values()].join(', ')}`);
        const message = JSON.stringify({ id: ++id, method: 'Runtime.evaluate', params: { expression } });
        send('NodeWorker.sendMessageToWorker', { sessionId, message });
      });
    },
    close: () => socket.close(),
  };
}

/** Packages of as many apps, each with a script that takes a while to audit. */
async function packagesIn(folder: string): Promise<Buffer<ArrayBuffer>[]> {
  const id = 'com.example.notes';
  await packageIn(
    folder,
    Array.from({ length: 20_000 }, (_, i) => `function f${i}(a) { return a + ${i}; }`).join('\n'),
    id,
  );
  const sources = await packageFolderOf(join(folder, id));
  const manifest = join(sources, 'manifest.json');
  const text = readFileSync(manifest, 'utf8');
  const packages: Buffer<ArrayBuffer>[] = [];
  for (let i = 0; i < 24; i++) {
    writeFileSync(manifest, text.replaceAll(id, `com.example.a${i}`));
    const [out, findings] = [join(folder, `${i}.pkg`), new Findings()];
    const content = await openFolder(sources, DEFAULT_LIMITS, findings);
    assert.ok(content && (await writeArchive(content, out, DEFAULT_LIMITS, findings)), JSON.stringify(findings.list()));
    await content.close();
    packages.push(readFileSync(out) as Buffer<ArrayBuffer>);
  }
  return packages;
}

/** Damages bodies in all segments, which are an x again and again; heads would not be found. */
function damage(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!name.endsWith('.seg') || statSync(path).size === 0) continue;
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 5000) if (bytes[at] === 0x78) bytes[at] = 0x79;
    writeFileSync(path, bytes);
  }
}

test.run();
