/** Pebble (Debian's package), an ACME directory (RFC 8555) for tests, on loopback: it asks the nameserver under test, and nobody else. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificate, ecKey, pemOfKey } from '../support/certificate.ts';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/ports.ts';
import { temporaryFolder } from '../support/temp.ts';

const READY_MS = 30_000;
const BIND_TRIES = 3;

export interface Directory {
  /** Of the directory (RFC 8555 7.1.1). */
  readonly url: string;
  /** File of the certificate that signed the one of its HTTPS. */
  readonly authority: string;
  /** All that it said. */
  output(): string;
  stop(): Promise<void>;
}

/** Resolves when it serves. `dnsPort`: of the nameserver on 127.0.0.1 at which it looks for challenges. */
export async function startDirectory(dnsPort: number): Promise<Directory> {
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
    const port = await freePort();
    // Challenges other than those of DNS it would look for at the discard port.
    const pebble = { ...own, listenAddress: `127.0.0.1:${port}`, httpPort: 9, tlsPort: 9 };
    const config = file('config.json', JSON.stringify({ pebble }));
    // It waits before it looks, refuses good nonces, and takes old authorizations, each by chance, unless it is told not to.
    const settings = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' };
    const args = ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`];
    const child: Child = startChild('/usr/bin/pebble', args, { PATH: process.env.PATH, ...settings });
    try {
      await child.waitFor(/ACME directory available at/, READY_MS);
      // It has said so before it listens.
      await untilListening(port, child);
    } catch (error) {
      await child.stop('SIGKILL');
      if (attempt < BIND_TRIES && /address already in use/.test(child.output())) continue;
      throw error;
    }
    const url = `https://localhost:${port}/dir`;
    return { url, authority, output: () => child.output(), stop: async () => void (await child.stop()) };
  }
}

async function untilListening(port: number, child: Child): Promise<void> {
  const deadline = Date.now() + READY_MS;
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
