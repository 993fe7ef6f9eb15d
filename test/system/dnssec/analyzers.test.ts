/** Zonemaster and DNSViz find no fault in a signed zone, from the root down. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { enterInternet, type Internet, OTHER, OURS, startInternet } from './internet.ts';
import type { RecordText } from './rig.ts';

const ZONE = 'signed.example';

const RECORDS: readonly RecordText[] = [
  ['ns1', 'A', OURS.ipv4[0]],
  ['ns1', 'AAAA', OURS.ipv6[0]],
  ['ns2', 'A', OURS.ipv4[1]],
  ['ns2', 'AAAA', OURS.ipv6[1]],
  ['@', 'ALIAS', 'mail.signed.example.'],
  ['@', 'MX', '10 mail.signed.example.'],
  ['@', 'TXT', '"v=spf1 mx -all"'],
  ['mail', 'A', OURS.ipv4[0]],
  ['mail', 'AAAA', OURS.ipv6[0]],
  ['www', 'CNAME', 'mail.signed.example.'],
  ['*.wild', 'A', OURS.ipv4[0]],
  ['deep.empty', 'TXT', '"x"'],
  ['old', 'DNAME', 'wild.signed.example.'],
  ['sub', 'NS', 'ns.sub.signed.example.'],
  ['ns.sub', 'A', OTHER.ipv4],
  ['ns.sub', 'AAAA', OTHER.ipv6],
  ['secure', 'NS', 'ns.secure.signed.example.'],
  ['ns.secure', 'A', OTHER.ipv4],
  ['ns.secure', 'AAAA', OTHER.ipv6],
];
/**
 * Names that exist, that a wildcard or a DNAME makes, that are empty, missing, or in other zones.
 */
const NAMES = ['', 'www.', 'x.wild.', 'empty.', 'nothing.', 'x.nothing.', 'x.old.', 'www.sub.', 'www.secure.'];

let daemon: Daemon;
let internet: Internet;
const folder = temporaryFolder('analyzers');
const test = suite('analyzers');

test.before(async () => {
  enterInternet();
  daemon = await startDaemon({
    WAYPOST_DNS_LISTEN: [...OURS.ipv4.map((a) => `${a}:53`), ...OURS.ipv6.map((a) => `[${a}]:53`)].join(','),
    WAYPOST_NAMESERVERS: 'ns1.signed.example,ns2.signed.example',
    WAYPOST_SOA_HOSTMASTER: 'hostmaster.signed.example',
    // Zonemaster wants these at least.
    WAYPOST_SOA_REFRESH: '14400',
    WAYPOST_SOA_RETRY: '3600',
    WAYPOST_DNSSEC_RESOLVERS: '127.0.0.1:9',
  });
  const { api } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const id = await api.createDomain(ZONE);
  for (const [name, type, content] of RECORDS) await api.createRecord(id, name, type, content);
  const { body } = await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
  const ds = (body.ds as { [field: string]: Json }[]).map(({ record }) => String(record));
  const below = { signed: [`secure.${ZONE}`], unsigned: [`sub.${ZONE}`] };
  internet = await startInternet(ds, below, async (name, content) => {
    await api.createRecord(id, `${name}.`, 'DS', content);
  });
});
test.after(async () => {
  await internet?.stop();
  await daemon?.close();
  removeFolder(folder);
});

/** What Zonemaster remarks, from NOTICE up. */
async function zonemaster(...args: string[]): Promise<string> {
  const all = [ZONE, '--hints', internet.hints, '--level=NOTICE', '--raw', '--no-time', '--show-module', ...args];
  const { code, output } = await runProgram('zonemaster-cli', all, {}, PATIENCE_MS);
  assert.is(code, 0, output);
  return output.trim();
}

test('Zonemaster remarks nothing', async () => {
  assert.is(await zonemaster(), '');
});

test('Zonemaster notices a DS of another key', async () => {
  const servers = OURS.ipv4.map((address, i) => `--ns=ns${i + 1}.${ZONE}/${address}`);
  const remarks = await zonemaster(...servers, `--ds=12345,13,2,${'ab'.repeat(32)}`, '--test=DNSSEC');
  assert.match(remarks, /ERROR +DNSSEC +DS02_NO_VALID_DNSKEY_FOR_ANY_DS/);
});

test('DNSViz finds all names secure from the root down, and those of an unsigned zone insecure', async () => {
  const probe = join(folder, 'probe.json');
  const run = async (...args: string[]): Promise<string> => {
    const { code, output } = await runProgram('dnsviz', args, {}, PATIENCE_MS);
    assert.is(code, 0, output);
    return output;
  };
  const names = NAMES.map((name) => `${name}${ZONE}`);
  await run('probe', '-A', '-a', '.', '-x', `.+:a.root=${OTHER.ipv4}`, '-o', probe, ...names);
  assert.is((await run('grok', '-l', 'warning', '-r', probe)).trim(), '');
  const found = await run('print', '-t', internet.anchor, '-r', probe);
  const lines = found.split('\n');
  // Errors and warnings, and what is bogus, indeterminate or insecure.
  const remarks = lines.filter((line) => /^ *[EW]:|\[[^.\]]+\]/.test(line));
  const isUnsigned = /^sub\.|^ {2}\[-\] /;
  assert.equal(
    remarks.filter((line) => !isUnsigned.test(line)),
    [],
    found,
  );
  for (const zone of ['example', ZONE, `secure.${ZONE}`]) assert.ok(lines.includes(`${zone} [.] [.]`), found);
  assert.ok(lines.includes(`sub.${ZONE} [-] [-]`), found);
  assert.is(lines.filter((line) => line.startsWith('  [-]  A: ')).length, 1, found);
  const other = await run('print', '-t', internet.otherAnchor, '-r', probe);
  assert.match(other, /^\. \[.?!\]/m, 'the root has another key');
});

const why = whyNotPrograms('dnsviz', 'zonemaster-cli', 'dnssec-keygen', 'dnssec-signzone');
if (why === null) test.run();
else console.log(`skipped: analyzers, ${why}`);
