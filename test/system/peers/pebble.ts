/**
 * Pebble (Debian's package), an ACME directory (RFC 8555) for tests, on loopback: it asks the
 * nameserver under test, and no other server.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { type Child, startChild } from '../../support/child.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';

const BIND_TRIES = 3;

export interface Directory {
  /** Of the directory (RFC 8555 7.1.1). */
  readonly url: string;
  /** File of the certificate that signed the one of its HTTPS. */
  readonly authority: string;
  /**
   * The certificate, in PEM form, that those which it issues lead to; another one at each start.
   */
  root(): Promise<string>;
  /** All that it said. */
  output(): string;
  stop(): Promise<void>;
}

export interface DirectoryOptions {
  /**
   * Where it looks for challenges of HTTP, on the hosts that it finds in the DNS; those it would
   * look for at the discard port otherwise.
   */
  readonly httpPort?: number;
  /** Of a hundred good nonces so many are refused. */
  readonly nonceReject?: number;
  /** A validation takes a random time below so many seconds; undefined: none. */
  readonly validationSeconds?: number;
  /** Listens there; else at a free port. */
  readonly port?: number;
  /** An account needs this external one (RFC 8555 7.3.4): key identifier to MAC key, base64url. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
}

/**
 * Resolves when it serves. `dnsPort`: of the nameserver on 127.0.0.1 at which it looks for
 * challenges.
 */
export async function startDirectory(dnsPort: number, options: DirectoryOptions = {}): Promise<Directory> {
  const { httpPort = 9, nonceReject = 0, validationSeconds } = options;
  const folder = temporaryFolder('pebble');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const issuer = { name: 'authority.pebble.test', key: ecKey() };
  const key = ecKey();
  const authority = file('authority.pem', certificate({ ...issuer, ca: true }));
  const own = {
    certificate: file('own.pem', certificate({ name: 'localhost', key, issuer, dnsNames: ['localhost'] })),
    privateKey: file('own.key', pemOfKey(key)),
  };
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const management = await freePort();
    const pebble = {
      ...own,
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${management}`,
      httpPort,
      tlsPort: 9,
      externalAccountBindingRequired: options.externalAccounts !== undefined,
      externalAccountMACKeys: options.externalAccounts ?? {},
    };
    const config = file('config.json', JSON.stringify({ pebble }));
    // It waits before it looks, refuses good nonces, and takes old authorizations, each by chance,
    // unless a setting forbids it.
    const settings = {
      ...(validationSeconds === undefined
        ? { PEBBLE_VA_NOSLEEP: '1' }
        : { PEBBLE_VA_SLEEPTIME: String(validationSeconds) }),
      ...{ PEBBLE_WFE_NONCEREJECT: String(nonceReject), PEBBLE_AUTHZREUSE: '0' },
    };
    const args = ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`];
    const child: Child = startChild('/usr/bin/pebble', args, { PATH: process.env.PATH, ...settings });
    try {
      await child.waitFor(/ACME directory available at/);
      // It has said so before it listens.
      await untilListening(port, child);
    } catch (error) {
      await child.stop('SIGKILL');
      if (attempt < BIND_TRIES && /address already in use/.test(child.output())) continue;
      throw error;
    }
    const url = `https://localhost:${port}/dir`;
    return {
      url,
      authority,
      root: () => fetchText(`https://localhost:${management}/roots/0`, authority),
      output: () => child.output(),
      stop: async () => void (await child.stop()),
    };
  }
}

/** Settings of a daemon that orders certificates there. Its own nameserver is the resolver. */
export const acmeSettings = ({ url, authority }: Directory, dnsPort: number) => ({
  WAYPOST_ACME_DIRECTORY: url,
  WAYPOST_ACME_AGREE_TOS: 'true',
  WAYPOST_ACME_CA_FILE: authority,
  WAYPOST_ACME_RESOLVERS: `127.0.0.1:${dnsPort}`,
});

export interface DaemonDirectory {
  readonly directory: Directory;
  readonly dnsPort: number;
  readonly httpsPort: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a directory for a daemon with these settings. `isHttpReachable`: for challenges. */
export async function startDaemonDirectory({ isHttpReachable = true, nonceReject = 0 } = {}): Promise<DaemonDirectory> {
  const [dnsPort, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort()];
  const directory = await startDirectory(dnsPort, { nonceReject, ...(isHttpReachable && { httpPort }) });
  const settings = {
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    // The directory connects to both addresses of the cluster.
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort},[::1]:${httpPort}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_CLUSTER_IPV4: '127.0.0.1',
    WAYPOST_CLUSTER_IPV6: '::1',
    ...acmeSettings(directory, dnsPort),
  };
  return { directory, dnsPort, httpsPort, settings };
}

async function fetchText(url: string, authority: string): Promise<string> {
  const agent = new Agent({ connect: { ca: readFileSync(authority) } });
  try {
    return await (await request(url, { dispatcher: agent })).body.text();
  } finally {
    await agent.destroy();
  }
}

async function untilListening(port: number, child: Child): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    socket.destroy();
    if (isThere) return;
    if (child.exited() || Date.now() > deadline) throw new Error(`pebble does not listen:\n${child.output()}`);
    await sleep(10);
  }
}
