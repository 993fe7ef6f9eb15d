/**
 * A zone that BIND has signed, with a key for keys and one for the zone, moves here with its
 * private key: for Unbound and delv it is secure before, while both answer, and after, with one DS.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilIs } from '../../support/until.ts';
import { type Peer, startPeer, whyNot } from '../peers/servers.ts';
import { ParentZone } from './parent.ts';
import { startValidator } from './validator.ts';

const ZONE = 'moving.example';
const APEX = parseName(`${ZONE}.`);
const RECORDS = `www 300 A 192.0.2.1
*.wild 300 TXT "x"
mail 300 MX 10 www
`;
const QUESTIONS: readonly (readonly [string, number])[] = [
  ['@', TYPE.SOA],
  ['@', TYPE.NS],
  ['@', TYPE.DNSKEY],
  ['www', TYPE.A],
  ['www', TYPE.AAAA],
  ['x.wild', TYPE.TXT],
  ['x.wild', TYPE.A],
  ['mail', TYPE.MX],
  ['nothing', TYPE.A],
];

/** Signs the zone with the tools of BIND. */
function signElsewhere(folder: string, algorithm: string) {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const ksk = run('dnssec-keygen', '-q', '-a', algorithm, '-f', 'KSK', ZONE).trim();
  const zsk = run('dnssec-keygen', '-q', '-a', algorithm, ZONE).trim();
  const keyOf = (name: string): string => readFileSync(join(folder, `${name}.key`), 'utf8');
  const soa = '@ 3600 SOA ns1.old.example. host 1 7200 900 1209600 300\n@ 3600 NS ns1.old.example.\n';
  writeFileSync(join(folder, 'zone'), `$ORIGIN ${ZONE}.\n${soa}${RECORDS}${keyOf(ksk)}${keyOf(zsk)}`);
  run('dnssec-signzone', '-q', '-o', ZONE, '-f', 'signed', 'zone');
  const { records, errors } = parseMaster(readFileSync(join(folder, 'signed')), { origin: APEX });
  assert.equal(errors, []);
  const rdataOf = (name: string): string => /DNSKEY\s+(.*)$/m.exec(keyOf(name))![1];
  return {
    records: [...records],
    privateKey: readFileSync(join(folder, `${ksk}.private`), 'utf8'),
    ds: formatRdata(TYPE.DS, dsRdata(APEX, parseRdata(TYPE.DNSKEY, rdataOf(ksk)))),
    zsk: rdataOf(zsk),
    ksk: rdataOf(ksk),
    files: readdirSync(folder),
  };
}

const test = suite('take over a signed zone');

for (const algorithm of ['ECDSAP256SHA256', 'ED25519', 'RSASHA256', 'RSASHA512'])
  test(`${algorithm}: secure before, during and after the move`, async () => {
    const folder = temporaryFolder('takeover');
    const old = signElsewhere(folder, algorithm);
    const soa = old.records.find(({ type }) => type === TYPE.SOA)!;
    const parent = await ParentZone.start({ child: `${ZONE}.`, dsTtl: 60 });
    const provider: Peer = await startPeer('bind', [[soa, ...old.records.filter((record) => record !== soa)]]);
    const daemon: Daemon = await startDaemon(parent.settings);
    const { api } = daemon;
    const secureAt = async (what: string, ...ports: number[]): Promise<void> => {
      const validator = await startValidator({ parent, zone: `${ZONE}.`, ports });
      // Twice: answers and keys of one provider are in the cache when the other one answers.
      for (let round = 0; round < 2; round++)
        for (const [label, type] of QUESTIONS) {
          const verdict = await validator.ask(label === '@' ? APEX : parseName(label, APEX), type);
          assert.is(verdict, 'secure', `${what}: ${label} ${type}\n${validator.output().slice(-1000)}`);
        }
      await validator.stop();
    };
    try {
      parent.setDs([old.ds]);
      await secureAt('before', provider.port);
      await api.logIn('admin', ADMIN_PASSWORD);
      const id = await api.createDomain(ZONE);
      const path = `/api/v1/domains/${id}`;
      await api.call('PUT', `${path}/zonefile`, `$ORIGIN ${ZONE}.\n${RECORDS}`, 'text/dns');
      const enabled = await api.call('PUT', `${path}/dnssec`, { enabled: true, private_key: old.privateKey });
      assert.is(enabled.status, 200, enabled.text);
      assert.not.ok(enabled.text.includes(/Private(?:Key|Exponent): (\S+)/.exec(old.privateKey)![1]));
      await api.call('POST', `${path}/dnssec/foreign-keys`, { dnskey: old.zsk });
      await untilIs(async () => {
        await api.call('POST', `${path}/dnssec/check`);
        return (await api.call('GET', `${path}/dnssec`)).body.status;
      }, 'secure');
      await secureAt('both answer', provider.port, daemon.dnsPort);
      await secureAt('here', daemon.dnsPort);
      const keys = (await api.call('GET', `${path}/dnssec/foreign-keys`)).body.foreign_keys as { id: number }[];
      for (const key of keys) await api.call('DELETE', `${path}/dnssec/foreign-keys/${key.id}`);
      await secureAt('without the key of the other provider', daemon.dnsPort);
      const anchors = join(folder, 'anchors');
      const [flags, protocol, number, ...key] = old.ksk.split(/\s+/);
      writeFileSync(
        anchors,
        `trust-anchors { "${ZONE}." static-key ${flags} ${protocol} ${number} "${key.join('')}"; };\n`,
      );
      const at = ['@127.0.0.1', '-p', `${daemon.dnsPort}`, '-a', anchors, `+root=${ZONE}.`];
      for (const [name, type] of [
        [`www.${ZONE}`, 'A'],
        [`nothing.${ZONE}`, 'A'],
      ])
        assert.match((await runProgram('delv', [...at, name, type])).output, /fully validated/);
    } finally {
      await daemon.close();
      await provider.stop();
      await parent.close();
      removeFolder(folder);
    }
  });

const why = whyNotPrograms('delv', 'dnssec-keygen', 'dnssec-signzone') ?? whyNot('bind');
if (why === null) test.run();
else console.log(`skipped: a signed zone is not taken over: ${why}`);
