/**
 * A zone that another provider signs moves here with its private key, and keeps its DS record. A
 * resolver that keeps records for a second asks all the time, before, while both answer, and after:
 * everything is secure. delv, DNSViz and dnssec-verify agree.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { openNetwork } from '../../support/network.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Program, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { Relay } from '../../support/relay.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until, untilIs } from '../../support/until.ts';
import { whyNot } from '../peers/servers.ts';
import { bindTools, ldnsTools, type OtherProvider, startPowerDnsProvider, startSplitKeys } from './other-provider.ts';
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
/** Milliseconds. */
const SECOND = 1000;
/** Milliseconds between two questions. */
const PAUSE_MS = 10;
/** DNSViz says so of the zone. */
const SECURE = /^moving\.example \[\.\]/m;

const PROVIDERS: Readonly<Record<string, () => Promise<OtherProvider>>> = {
  'BIND, algorithm 13': () => startSplitKeys(ZONE, RECORDS, bindTools('ECDSAP256SHA256')),
  'BIND, algorithm 8': () => startSplitKeys(ZONE, RECORDS, bindTools('RSASHA256')),
  'ldns, algorithm 10, 4096 bits': () => startSplitKeys(ZONE, RECORDS, ldnsTools('RSASHA512', 4096)),
  'PowerDNS, algorithm 8, one key': () => startPowerDnsProvider(ZONE, RECORDS),
};

/** Asks a resolver all the time. */
async function startPolling(parent: ParentZone, relay: Relay) {
  const validator = await startValidator({ parent, zone: `${ZONE}.`, ports: [relay.port], maxTtl: 1 });
  const wrong: string[] = [];
  let phase = '';
  let targets: readonly number[] = [];
  let rounds = 0;
  let isStopped = false;
  const polling = (async (): Promise<void> => {
    for (let count = 0; !isStopped; rounds++)
      for (const [label, type] of QUESTIONS) {
        relay.target = targets[count++ % targets.length] ?? relay.target;
        const asked = phase;
        const verdict = await validator.ask(label === '@' ? APEX : parseName(label, APEX), type);
        if (verdict !== 'secure')
          wrong.push(`${asked}: ${label} ${type} is ${verdict}\n${validator.output().slice(-1000)}`);
        await sleep(PAUSE_MS);
      }
  })();
  return {
    /** Answers come from these ports in turn. Resolves after three rounds, and two seconds. */
    async during(name: string, ports: readonly number[]): Promise<void> {
      [phase, targets] = [name, ports];
      const [start, first] = [performance.now(), rounds];
      await until(() => rounds > first + 3 && performance.now() > start + 2 * SECOND, name);
      assert.is(wrong.length, 0, wrong[0]);
    },
    async stop(): Promise<void> {
      isStopped = true;
      await polling;
      await validator.stop();
    },
  };
}

const test = suite('take over a signed zone');

// DNSViz also asks for the addresses of nameservers outside of the zone.
test.before(() => void openNetwork(0));

for (const [what, start] of Object.entries(PROVIDERS))
  test(`${what}: secure before, during and after the move`, async () => {
    const folder = temporaryFolder('takeover');
    const provider = await start();
    const parent = await ParentZone.start({ child: `${ZONE}.`, dsTtl: 60 });
    const daemon = await startDaemon({ ...parent.settings, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' });
    const relay = await Relay.start(provider.port);
    const ds = formatRdata(TYPE.DS, dsRdata(APEX, parseRdata(TYPE.DNSKEY, provider.dnskeys[0])));
    parent.setDs([ds]);
    const polling = await startPolling(parent, relay);
    const run = async (program: Program, ...args: string[]): Promise<string> => {
      const { code, output } = await runProgram(program, args, {}, PATIENCE_MS);
      assert.is(code, 0, output);
      return output;
    };
    const [flags, protocol, number, ...key] = provider.dnskeys[0].split(/\s+/);
    const anchors = join(folder, 'anchors');
    writeFileSync(
      anchors,
      `trust-anchors { "${ZONE}." static-key ${flags} ${protocol} ${number} "${key.join('')}"; };\n`,
    );
    /** What DNSViz finds at these servers, by the DNSKEY of the private key. */
    const analyse = async (...ports: number[]): Promise<string> => {
      const [probe, trusted] = [join(folder, 'probe'), join(folder, 'trusted')];
      writeFileSync(trusted, `${ZONE}. 3600 IN DNSKEY ${provider.dnskeys[0]}\n`);
      const servers = ports.map((port) => `127.0.0.1:${port}`).join(',');
      const names = ['', 'www.', 'x.wild.', 'nothing.'].map((name) => `${name}${ZONE}`);
      await run('dnsviz', 'probe', '-A', '-a', ZONE, '-d', '0', '-x', `${ZONE}+:${servers}`, '-o', probe, ...names);
      const found = await run('dnsviz', 'print', '-P', '-t', trusted, '-r', probe);
      // Errors, and what is bogus, indeterminate or insecure.
      assert.equal(
        found.split('\n').filter((line) => /^ *E:|\[[^.\]]+\]/.test(line)),
        [],
        found,
      );
      return found;
    };
    try {
      await polling.during('before', [provider.port]);
      const { api } = daemon;
      await api.logIn('admin', ADMIN_PASSWORD);
      const id = await api.createDomain(ZONE);
      const path = `/api/v1/domains/${id}`;
      await api.call('PUT', `${path}/zonefile`, `$ORIGIN ${ZONE}.\n${RECORDS}`, 'text/dns');
      const enabled = await api.call('PUT', `${path}/dnssec`, {
        ...{ enabled: true, private_key: provider.privateKey, foreign_keys: [...provider.dnskeys] },
      });
      assert.is(enabled.status, 200, enabled.text);
      assert.not.ok(enabled.text.includes(/Private(?:Key|Exponent): (\S+)/.exec(provider.privateKey)![1]));
      await untilIs(async () => {
        await api.call('POST', `${path}/dnssec/check`);
        return (await api.call('GET', `${path}/dnssec`)).body.status;
      }, 'secure');

      await polling.during('both answer', [provider.port, daemon.dnsPort]);
      assert.match(await analyse(provider.port, daemon.dnsPort), SECURE);
      // No question is under way to the other provider when it stops.
      await polling.during('here', [daemon.dnsPort]);
      await provider.stop();
      // The resolver had TCP connections to it.
      await polling.during('here alone', [daemon.dnsPort]);
      const keys = (await api.call('GET', `${path}/dnssec/foreign-keys`)).body.foreign_keys as { id: number }[];
      assert.is(keys.length, provider.dnskeys.length - 1);
      for (const { id: keyId } of keys) await api.call('DELETE', `${path}/dnssec/foreign-keys/${keyId}`);
      await polling.during('without the other key', [daemon.dnsPort]);

      const at = ['@127.0.0.1', '-p', `${daemon.dnsPort}`];
      for (const question of [
        [`www.${ZONE}`, 'A'],
        [`nothing.${ZONE}`, 'A'],
        [ZONE, 'DNSKEY'],
      ])
        assert.match(await run('delv', ...at, '-a', anchors, `+root=${ZONE}`, ...question), /fully validated/);
      const transfer = join(folder, 'transfer');
      writeFileSync(transfer, await run('dig', ...at, '+onesoa', '+noall', '+answer', ZONE, 'AXFR'));
      await run('dnssec-verify', '-z', '-o', ZONE, transfer);
      assert.match(await analyse(daemon.dnsPort), SECURE);
    } finally {
      await polling.stop();
      await daemon.close();
      await provider.stop();
      await parent.close();
      relay.close();
      removeFolder(folder);
    }
  });

const why =
  whyNotPrograms(
    ...(['delv', 'dig', 'dnsviz', 'dnssec-keygen', 'dnssec-signzone', 'dnssec-verify'] as const),
    ...(['ldns-keygen', 'ldns-signzone', 'pdns_server', 'sqlite3'] as const),
  ) ??
  whyNot('bind') ??
  whyNot('nsd');
if (why === null) test.run();
else console.log(`skipped: a signed zone is not taken over: ${why}`);
