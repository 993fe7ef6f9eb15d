/**
 * What a soak runs on: three nodes on one etcd, an ACME directory and an origin. Two nodes run from
 * beginning to end, the third one is restarted every few minutes.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MAIN_HEAP } from '../../core/base/main-heap.ts';
import { certificate, ecKey, pemOfKey } from '../../test/support/certificate.ts';
import type { Daemon } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { removeFolder, temporaryFolder } from '../../test/support/temp.ts';
import { startCluster } from '../../test/system/cluster/rig.ts';
import { acmeSettings, startDirectory } from '../../test/system/peers/pebble.ts';

interface Ports {
  readonly dns: number;
  readonly dot: number;
  readonly http: number;
  readonly https: number;
}

export interface SoakNode extends Ports {
  readonly name: string;
  readonly daemon: Daemon;
  /** False while it is stopped. */
  isUp: boolean;
}

export interface SoakRig {
  readonly nodes: readonly SoakNode[];
  /** The node that is restarted. */
  readonly restarted: SoakNode;
  /** What the certificates of the edge and of DNS over TLS lead to, in PEM form. */
  readonly roots: readonly string[];
  /** The port of the origin. */
  readonly origin: number;
  close(): Promise<void>;
}

/** Answers `/N` with N bytes that may be stored for a minute, and `/miss` with what may not. */
function startOrigin(): Promise<Server> {
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    const size = Number(/^\/(\d+)/.exec(url)?.[1] ?? 2000);
    const body = 'soak '.repeat(Math.ceil(size / 5)).slice(0, size);
    const control = url.startsWith('/miss') ? 'no-store' : 'max-age=60';
    response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': control }).end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * The malloc setting of the unit. Caches and histories are full within the first minutes: what
 * grows after that is a leak.
 */
const SETTINGS = {
  MALLOC_ARENA_MAX: '2',
  WAYPOST_EDGE_CACHE_MEMORY: '16MB',
  WAYPOST_EDGE_CACHE_DISK: '16MB',
  WAYPOST_JOURNAL_HISTORY: '2000',
  WAYPOST_LOG_FORMAT: 'json',
  WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '1000000',
  WAYPOST_PACKAGES_MAX_APPS: '1000000',
};

export async function startRig(): Promise<SoakRig> {
  const folder = temporaryFolder('soak');
  const issuer = { name: 'Root of the soak', key: ecKey() };
  const key = ecKey();
  const [chainFile, keyFile] = [join(folder, 'dns.pem'), join(folder, 'dns.key')];
  writeFileSync(chainFile, certificate({ name: 'ns.soak.test', key, issuer, dnsNames: ['ns.soak.test'] }));
  writeFileSync(keyFile, pemOfKey(key));
  const origin = await startOrigin();
  const ports = new Map<string, Ports>();
  for (const name of ['a', 'b', 'c'])
    ports.set(name, {
      dns: await freePort(),
      dot: await freePort(),
      http: await freePort(),
      https: await freePort(),
    });
  // The directory finds the challenges at a node that is not restarted.
  const { dns, http } = ports.get('a')!;
  const directory = await startDirectory(dns, { httpPort: http });
  const cluster = await startCluster(
    ports.size,
    (name) => {
      const own = ports.get(name)!;
      return {
        ...SETTINGS,
        WAYPOST_DNS_LISTEN: `127.0.0.1:${own.dns}`,
        WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${own.dot}`,
        WAYPOST_DNS_TLS_CERTIFICATE: chainFile,
        WAYPOST_DNS_TLS_KEY: keyFile,
        WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${own.http}`,
        WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${own.https}`,
        WAYPOST_EDGE_WORKERS: '1',
        WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
        WAYPOST_CLUSTER_IPV4: '127.0.0.1',
        ...acmeSettings(directory, own.dns),
      };
    },
    [],
    { options: MAIN_HEAP },
  );
  const nodes = cluster.nodes.map((daemon, i): SoakNode => {
    const name = 'abc'[i];
    return { name, daemon, isUp: true, ...ports.get(name)! };
  });
  return {
    ...{ nodes, restarted: nodes[2] },
    roots: [await directory.root(), certificate({ ...issuer, ca: true })],
    origin: (origin.address() as AddressInfo).port,
    async close() {
      origin.closeAllConnections();
      origin.close();
      await cluster.close();
      await directory.stop();
      removeFolder(folder);
    },
  };
}
