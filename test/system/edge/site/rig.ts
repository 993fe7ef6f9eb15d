/**
 * The daemon with sites whose origins are the test's: what visitors see of them, and what the
 * process has in use.
 */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificate, ecKey, type Issuer, type KeyPair, pemOfKey } from '../../../support/certificate.ts';
import type { Child } from '../../../support/child.ts';
import { ADMIN_PASSWORD, type ServingDaemon } from '../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { borrowDaemon } from '../../../support/shared-daemon.ts';
import { temporaryFolder } from '../../../support/temp.ts';

/** Where origins listen: an address that stands in nothing else that a visitor sees. */
export const ORIGIN_ADDRESS = '127.0.0.77';

export interface OriginPlace {
  readonly host: string;
  readonly port: number;
  readonly protocol: 'http' | 'https';
}

/** An authority that browsers, curl and the edge may be configured to trust. */
export interface Root {
  readonly pem: string;
  readonly file: string;
  /** A certificate for these names, in PEM. */
  issue(names: readonly string[]): { readonly cert: string; readonly key: string };
}

export interface SiteRig {
  readonly daemon: ServingDaemon & { readonly child: Child };
  readonly http: number;
  readonly https: number;
  /** Of the sites' certificates. */
  readonly root: Root;
  /**
   * Makes a domain with its proxy on, for itself and `www`; resolves with its id when it is served.
   */
  addSite(domain: string, origin: OriginPlace): Promise<string>;
  /** Sockets that the daemon has open. */
  sockets(): number;
  /** Descriptors that it has open, sockets among them. */
  descriptors(): number;
  /** Megabytes of memory that the daemon has in use (RSS). */
  memory(): number;
  /** A counter of the edge by its name in /metrics, with its labels; 0 when there is none. */
  counter(name: string): Promise<number>;
}

export function makeRoot(name: string): Root {
  const key: KeyPair = ecKey();
  const issuer: Issuer = { name, key };
  const pem = certificate({ name, key, ca: true });
  const file = join(temporaryFolder('root'), 'root.pem');
  writeFileSync(file, pem);
  return {
    pem,
    file,
    issue(names) {
      const own = ecKey();
      return { cert: certificate({ name: names[0], key: own, issuer, dnsNames: names }), key: pemOfKey(own) };
    },
  };
}

/** `settings`: in addition to those of a shared daemon with an edge. */
export async function withSites(
  settings: Record<string, string>,
  use: (rig: SiteRig) => Promise<void>,
  root = makeRoot('Root of sites'),
): Promise<void> {
  const daemon = await borrowDaemon('edge', { WAYPOST_EDGE_WORKERS: '2', ...settings });
  await use(await sitesOf(daemon, root));
  await daemon.giveBack();
}

/** Sites of a daemon with an edge. */
export async function sitesOf(daemon: SiteRig['daemon'], root: Root): Promise<SiteRig> {
  const { api, child, env } = daemon;
  const portOf = (name: string): number => Number(env[name]?.split(':')[1]);
  await api.logIn('admin', ADMIN_PASSWORD);
  return {
    ...{ daemon, root, http: portOf('WAYPOST_EDGE_HTTP_LISTEN'), https: portOf('WAYPOST_EDGE_HTTPS_LISTEN') },
    async addSite(domain, { host, port, protocol }) {
      const id = await api.createDomain(domain);
      for (const name of ['@', 'www']) await api.createRecord(id, name, 'A', '192.0.2.7');
      const { cert, key } = root.issue([domain, `*.${domain}`]);
      await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: host, port, protocol });
      await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
      await api.call('PUT', `/api/v1/domains/${id}/proxy/certificate`, { certificate: cert, private_key: key });
      return id;
    },
    sockets: () => socketsOf(child.pid),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    memory: () => memoryOf(child.pid),
    async counter(name) {
      const { text } = await api.request('GET', '/metrics');
      const line = text.split('\n').find((word) => word.startsWith(`${name} `));
      return line === undefined ? 0 : Number(line.slice(name.length + 1));
    },
  };
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith('socket:');
    } catch {
      return false; // closed since
    }
  }).length;
}

const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/**
 * Resolves as soon as it holds; rejects with what was awaited and how it stands when it never does.
 */
export async function until(what: string, holds: () => boolean, standing: () => unknown = () => ''): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !holds(); await sleep(20))
    if (Date.now() > end) throw new Error(`It never comes to this: ${what}. ${standing()}`);
}
