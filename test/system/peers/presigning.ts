/** Zones that BIND, ldns and Knot DNS sign: NSEC and NSEC3, with salt, iterations and opt-out. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../../core/dns/wire/types.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temp.ts';

export const SIGNERS = ['dnssec-signzone', 'dnssec-keygen', 'ldns-signzone', 'ldns-keygen', 'kzonesign'] as const;

export interface PresignedZone {
  /** Without the last dot. */
  readonly name: string;
  readonly records: readonly ResourceRecord[];
}

const zoneText = (name: string): string => `$ORIGIN ${name}.
$TTL 300
@ 3600 SOA ns1 host 7 7200 900 1209600 120
@ 3600 NS ns1
@ 3600 NS ns2.example.
@ MX 10 ns1
ns1 A 192.0.2.1
ns1 AAAA 2001:db8::1
www CNAME ns1
www2 CNAME www
out CNAME www.example.
to-no CNAME no.no
to-ent CNAME c.d
to-wild CNAME x.y.w
to-cut CNAME a.sub
at-cut CNAME sub
to-safe CNAME a.sec
*.w TXT "x" "Y"
*.w AAAA 2001:db8::1
*.c CNAME www
*.e.wx A 192.0.2.1
a.b.c.d A 192.0.2.3
a.b.c.d A 192.0.2.20
sub NS ns1.sub
sub NS ns2.example.
ns1.sub A 192.0.2.9
deep.sub.e.f NS ns.example.
other.e.f NS ns.example.
sec NS ns1.sec
sec DS 1 13 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855
ns1.sec A 192.0.2.9
dn DNAME d
dn TXT "at the DNAME"
dno DNAME example.net.
_sip._tcp SRV 1 2 3 ns1
h HTTPS 1 . alpn=h2 port=443
only TYPE65280 \\# 2 0102
`;

/** Owners and names next to and below them, which `zoneText` makes. */
export const NAMES: readonly string[] = [
  '@ ns1 www www2 out to-no to-ent to-wild to-cut at-cut to-safe w *.w x.w x.y.w c x.c *.c a.b.c x.b.c',
  'wx e.wx *.e.wx q.e.wx q.wx d c.d b.c.d a.b.c.d z.a.b.c.d no.d x.c.d sub a.sub ns1.sub b.a.sub f e.f',
  'sub.e.f deep.sub.e.f x.deep.sub.e.f q.sub.e.f other.e.f q.e.f a.other.e.f sec a.sec dn a.dn c.dn b.c.dn',
  'a.b.c.dn no.dn dno a.dno _sip._tcp _tcp x._tcp h x.h only no a.b.c.no * zzz 0 ~ a\\000b a\\255b',
].flatMap((line) => line.split(' '));

class Folder {
  readonly path = temporaryFolder('presigning');

  run(program: string, ...args: string[]): string {
    return execFileSync(program, args, {
      cwd: this.path,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  read(name: string, file: string): PresignedZone {
    const { records, errors } = parseMaster(readFileSync(join(this.path, file)), { origin: parseName(`${name}.`) });
    if (errors.length > 0) throw new Error(`${file} is not read: ${errors[0].message}`);
    return { name, records: [...records].sort((a, b) => Number(b.type === 6) - Number(a.type === 6)) };
  }
}

function signByBind(name: string, algorithms: readonly string[], ...options: string[]): PresignedZone {
  const folder = new Folder();
  folder.write('zone', zoneText(name));
  for (const algorithm of algorithms) {
    folder.run('dnssec-keygen', '-q', '-a', algorithm, '-f', 'KSK', name);
    folder.run('dnssec-keygen', '-q', '-a', algorithm, name);
  }
  folder.run('dnssec-signzone', '-q', '-S', '-x', '-N', 'keep', '-o', name, '-f', 'signed', ...options, 'zone');
  return folder.read(name, 'signed');
}

function signByLdns(name: string, algorithms: readonly string[], ...options: string[]): PresignedZone {
  const folder = new Folder();
  folder.write('zone', zoneText(name));
  const keys = algorithms.map((algorithm) => folder.run('ldns-keygen', '-a', algorithm, '-k', name).trim());
  folder.run('ldns-signzone', ...options, '-f', 'signed', 'zone', ...keys);
  return folder.read(name, 'signed');
}

function signByKnot(name: string, algorithm: string, policy: string): PresignedZone {
  const folder = new Folder();
  mkdirSync(join(folder.path, 'keys'));
  mkdirSync(join(folder.path, 'out'));
  folder.write('zone', zoneText(name));
  folder.write(
    'knot.conf',
    `database:\n    storage: ${folder.path}/keys\npolicy:\n  - id: p\n    algorithm: ${algorithm}\n${policy}zone:\n` +
      `  - domain: ${name}\n    storage: ${folder.path}\n    file: zone\n    dnssec-policy: p\n`,
  );
  folder.run('kzonesign', '-c', join(folder.path, 'knot.conf'), '-o', join(folder.path, 'out'), name);
  const [file] = readdirSync(join(folder.path, 'out'));
  return folder.read(name, join('out', file));
}

const ZONES: Readonly<Record<string, (name: string) => PresignedZone>> = {
  'bind-nsec.test': (name) => signByBind(name, ['ECDSAP256SHA256']),
  'bind-nsec3.test': (name) => signByBind(name, ['ECDSAP256SHA256'], '-3', '-', '-H', '0'),
  'bind-salt.test': (name) => signByBind(name, ['ED25519'], '-3', 'a1b2c3d4', '-H', '10'),
  'bind-optout.test': (name) => signByBind(name, ['ECDSAP256SHA256'], '-3', 'beef', '-H', '2', '-A'),
  'bind-two.test': (name) => signByBind(name, ['RSASHA256', 'ECDSAP384SHA384'], '-3', '-'),
  'ldns-nsec.test': (name) => signByLdns(name, ['ECDSAP256SHA256']),
  'ldns-two.test': (name) => signByLdns(name, ['ECDSAP256SHA256', 'RSASHA512']),
  'ldns-salt.test': (name) => signByLdns(name, ['ECDSAP256SHA256'], '-n', '-s', '0badcafe', '-t', '5'),
  'ldns-optout.test': (name) => signByLdns(name, ['RSASHA256'], '-n', '-p', '-s', 'abcd', '-t', '1'),
  'knot-nsec.test': (name) => signByKnot(name, 'ecdsap256sha256', ''),
  'knot-nsec3.test': (name) =>
    signByKnot(name, 'ed25519', '    nsec3: on\n    nsec3-iterations: 7\n    nsec3-salt-length: 8\n'),
  'knot-optout.test': (name) =>
    signByKnot(name, 'ecdsap256sha256', '    nsec3: on\n    nsec3-opt-out: on\n    nsec3-salt-length: 0\n'),
};

/** One zone of each kind. `only`: their names. */
export function signZones(only = Object.keys(ZONES)): PresignedZone[] {
  return only.map((name) => ZONES[name](name));
}
