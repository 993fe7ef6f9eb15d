/**
 * A small Internet in a network namespace: NSD serves the root, `example`, and zones below ours.
 * BIND's tools sign them. All addresses are public ones, which are never contacted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../support/child.ts';
import { openNetwork, run } from '../../support/network.ts';
import { runProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';

/** Of our daemon, in different networks. */
export const OURS = { ipv4: ['45.0.1.1', '46.0.2.2'], ipv6: ['2a01:1::1', '2a02:2::2'] } as const;
/** Of NSD. */
export const OTHER = { ipv4: '47.0.3.3', ipv6: '2a03:3::3' } as const;

const SOA = '@ 3600 SOA a.root. h.root. 1 14400 3600 1209600 300\n';
const ADDRESSES = `3600 A ${OTHER.ipv4}\nNAME 3600 AAAA ${OTHER.ipv6}\n`;
const glue = (name: string): string => `${name} ${ADDRESSES.replace('NAME', name)}`;

export interface Internet {
  /** Root hints. */
  readonly hints: string;
  /** A file with the key of the root, as a master file. */
  readonly anchor: string;
  /** The same with another key. */
  readonly otherAnchor: string;
  stop(): Promise<void>;
}

/** The calling process is in the namespace from now on. */
export function enterInternet(): void {
  openNetwork(0);
  for (const address of [...OURS.ipv4, OTHER.ipv4]) run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  for (const address of [...OURS.ipv6, OTHER.ipv6]) run('ip', 'address', 'add', `${address}/128`, 'dev', 'lo');
}

/** The reverse name of an address. */
function reverse(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa.`;
  const [left, right] = address.split('::').map((part) => part.split(':').map((group) => group.padStart(4, '0')));
  const zeros = Array<string>(8 - left.length - right.length).fill('0000');
  return `${[...[...left, ...zeros, ...right].join('')].reverse().join('.')}.ip6.arpa.`;
}

/** Signs zones and serves them. */
class Zones {
  readonly folder = temporaryFolder('internet');
  readonly #served: { readonly name: string; readonly file: string }[] = [];

  /** The DS records of the zone. `name` without its last dot. */
  async sign(name: string, text: string): Promise<string> {
    const file = this.#write(name, text);
    const origin = name === '' ? '.' : name;
    await succeed('dnssec-keygen', ['-q', '-a', '13', '-f', 'KSK', '-K', this.folder, origin]);
    const args = ['-q', '-S', '-z', '-K', this.folder, '-d', this.folder, '-o', origin, file];
    await succeed('dnssec-signzone', args);
    this.#served.push({ name: origin, file: `${file}.signed` });
    return readFileSync(join(this.folder, `dsset-${name}.`), 'utf8');
  }

  add(name: string, text: string): void {
    this.#served.push({ name, file: this.#write(name, text) });
  }

  #write(name: string, text: string): string {
    const file = join(this.folder, `${name === '' ? 'root' : name}.zone`);
    writeFileSync(file, `$ORIGIN ${name}.\n${SOA}${text}`);
    return file;
  }

  config(): string {
    return `server:
    ip-address: ${OTHER.ipv4}
    ip-address: ${OTHER.ipv6}
    username: ""
    server-count: 1
    zonesdir: ${this.folder}
    database: ""
    pidfile: ${this.folder}/nsd.pid
    xfrdfile: ${this.folder}/xfrd.state
    zonelistfile: ${this.folder}/zone.list
    xfrdir: ${this.folder}
    rrl-ratelimit: 0
    verbosity: 1
remote-control:
    control-enable: no
${this.#served.map(({ name, file }) => `zone:\n    name: "${name}"\n    zonefile: ${file}\n`).join('')}`;
  }
}

async function succeed(program: 'dnssec-keygen' | 'dnssec-signzone', args: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(program, args);
  if (code !== 0) throw new Error(`${program}: ${output}`);
}

/**
 * `ds`: the DS records of our zone `signed.example`, as lines of a zone file. Its nameservers are
 * ns1 and ns2 in it. `below`: names in it that NSD serves as zones: signed, or not. The DS records
 * of those that are signed go to `publish`.
 */
export async function startInternet(
  ds: readonly string[],
  below: { readonly signed: readonly string[]; readonly unsigned: readonly string[] },
  publish: (name: string, ds: string) => Promise<void>,
): Promise<Internet> {
  const zones = new Zones();
  for (const name of below.unsigned) zones.add(name, `@ 3600 NS ns\n${glue('ns')}www 300 A ${OTHER.ipv4}\n`);
  for (const name of below.signed) {
    const found = await zones.sign(name, `@ 3600 NS ns\n${glue('ns')}www 300 A ${OTHER.ipv4}\n`);
    await publish(name, found.trim().split(/\sDS\s/)[1]);
  }
  const delegation = ['ns1', 'ns2'].map(
    (host, i) =>
      `signed 3600 NS ${host}.signed\n${host}.signed 3600 A ${OURS.ipv4[i]}\n${host}.signed 3600 AAAA ${OURS.ipv6[i]}\n`,
  );
  const exampleDs = await zones.sign('example', `@ 3600 NS a.root.\n${delegation.join('')}${ds.join('\n')}\n`);
  const pointers = [...OURS.ipv4, ...OURS.ipv6].map(
    (address, i) => `${reverse(address)} 3600 PTR ns${1 + (i % 2)}.signed.example.\n`,
  );
  await zones.sign(
    '',
    `@ 3600 NS a.root.\n${glue('a.root.')}example. 3600 NS a.root.\n${exampleDs}${pointers.join('')}`,
  );
  const hints = join(zones.folder, 'hints');
  writeFileSync(hints, `. 3600 NS a.root.\n${glue('a.root.')}`);
  const anchor = join(zones.folder, 'anchor');
  const key = /^\.?\s.*\sDNSKEY\s+(257 3 13 )\(?([^;)]*)/m.exec(
    readFileSync(join(zones.folder, 'root.zone.signed'), 'utf8'),
  );
  if (key === null) throw new Error('the root has no key');
  const publicKey = key[2].replace(/\s/g, '');
  writeFileSync(anchor, `. 3600 IN DNSKEY ${key[1]}${publicKey}\n`);
  const otherAnchor = join(zones.folder, 'other-anchor');
  const changed = publicKey[0] === 'A' ? 'B' : 'A';
  writeFileSync(otherAnchor, `. 3600 IN DNSKEY ${key[1]}${changed}${publicKey.slice(1)}\n`);
  const config = join(zones.folder, 'nsd.conf');
  writeFileSync(config, zones.config());
  const nsd = startChild('/usr/sbin/nsd', ['-d', '-c', config]);
  await nsd.waitFor(/nsd started/);
  return { hints, anchor, otherAnchor, stop: async () => void (await nsd.stop()) };
}
