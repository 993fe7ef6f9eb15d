/** Names with any bytes, such as those of RFC 2317: in arguments, paths, bodies and zone files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOf } from '../../daemon.ts';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('names with any bytes');
const folder = mkdtempSync(join(tmpdir(), 'waypost-names-'));
test.before(async (context) => void Object.assign(context, await startLive()));
test.after(async ({ daemon }) => {
  rmSync(folder, { recursive: true });
  await daemon.stop();
});

const PARENT = '2.0.192.in-addr.arpa';
const PART = `0/25.${PARENT}`;

async function lines({ json }: Live, domain: string, ...filter: string[]): Promise<string[]> {
  const rows = await json(['record', 'list', domain, ...filter]);
  return rows.map(({ name, type, content }) => `${name} ${type} ${content}`);
}

test('half of a reverse zone is delegated, filled and removed (RFC 2317)', async (live) => {
  await live.json(['domain', 'add', PARENT, PART]);
  await live.json(['record', 'add', PARENT, '0/25', 'NS', 'ns1.waypost.test.']);
  await live.json(['record', 'add', PARENT, '128/25', 'NS', 'ns.example.net.', 'ns.example.org.']);
  await live.json(['record', 'add', PARENT, '7', 'CNAME', `7.${PART}`]);
  await live.json(['record', 'add', PART, '7', 'PTR', 'host.example.net.']);
  assert.equal(await lines(live, PARENT, '--name', '0/25'), ['0/25 NS ns1.waypost.test.']);
  assert.equal(await lines(live, PARENT, '--name', `128/25.${PARENT}`), [
    '128/25 NS ns.example.net.',
    '128/25 NS ns.example.org.',
  ]);
  assert.equal(await lines(live, PARENT, '--name', '7'), [`7 CNAME 7.${PART}.`]);
  assert.equal(await lines(live, PART), ['7 PTR host.example.net.']);
  await live.json(['record', 'rm', PARENT, '128/25', 'NS', 'ns.example.org.']);
  assert.equal(await lines(live, PARENT, '--name', '128/25'), ['128/25 NS ns.example.net.']);
});

test('labels keep their bytes, and hosts keep their rules', async (live) => {
  const zone = 'bytes.test';
  await live.json(['domain', 'add', zone]);
  const names = ['a\\.b', '\\@', 'sp\\032ace', '\\000\\255', 'a.b\\.', 'x\\\\y', `\\.${zone}`];
  for (const name of names) await live.json(['record', 'add', zone, name, 'TXT', 'x']);
  const dash = await live.waypost(['record', 'add', '--', zone, '-dash-', 'TXT', 'x']);
  assert.is(dash.code, 0, dash.stderr);
  const stored = ['a\\.b', '\\@', 'sp\\032ace', '\\000\\255', '-dash-', 'a.b\\.', 'x\\\\y', '\\.bytes.test'];
  const listed = (await live.json(['record', 'list', zone])).map(({ name }) => String(name));
  assert.equal(listed.sort(), stored.sort());
  for (const name of stored) assert.equal(await lines(live, zone, '--name', name), [`${name} TXT "x"`]);
  const exported = join(folder, 'exported');
  await live.waypost(['zone', 'export', zone, '--out', exported]);
  const again = JSON.parse(
    (await live.waypost(['import', exported, '--zone', zone, '--apex', 'service', '--json'])).stdout,
  );
  assert.equal(
    again.zones.map(({ action }: { action: string }) => action),
    ['unchanged'],
  );
  for (const [name, type, content, code] of [
    ['0/25', 'A', '192.0.2.1', 'invalid_host'],
    ['a\\.b', 'AAAA', '2001:db8::1', 'invalid_host'],
    ['sp\\032ace', 'MX', '10 mail.example.net.', 'invalid_host'],
    ['m', 'MX', '10 0/25.example.net.', 'invalid_host'],
    ['s', 'SRV', '0 0 53 a\\.b.example.net.', 'invalid_host'],
    ['n', 'NS', 'a\\032b.example.net.', 'invalid_host'],
    ['c', 'CNAME', '7.0/25.example.net.', null],
  ] as const) {
    const { stderr } = await live.waypost(['record', 'add', zone, name, type, content]);
    assert.is(/\((\w+), /.exec(stderr)?.[1] ?? null, code, `${name} ${type} ${content}: ${stderr}`);
  }
});

test('a domain with escapes is found by each of its spellings', async (live) => {
  await live.json(['domain', 'add', 'A\\046b\\032c.test']);
  for (const name of ['a\\.b\\032c.test', 'a\\.b\\032c.test.', 'A\\.B\\032C.test'])
    assert.is(String((await live.json(['domain', 'show', name]))[0].domain.domain), 'a\\.b\\032c.test');
});

test('the PowerDNS API has such zones in its paths, in its own escapes and in those of URLs', async (live) => {
  const { daemon } = live;
  const call = (method: string, path: string, json?: unknown) =>
    daemon.call(method, `/api/v1/servers/localhost/zones${path}`, {
      ...{ token: null, json, headers: { 'x-api-key': daemon.adminToken } },
    });
  const name = '0/26.3.0.192.in-addr.arpa.';
  const created = await call('POST', '', { name, kind: 'Native', nameservers: [] });
  assert.equal([created.status, created.body.id], [201, '0=2F26.3.0.192.in-addr.arpa.'] as never, created.text);
  const rrset = (owner: string, type: string, content: string) => ({
    ...{ name: owner, type, ttl: 300, changetype: 'REPLACE', records: [{ content, disabled: false }] },
  });
  const rrsets = [rrset(`7.${name}`, 'PTR', 'host.example.net.'), rrset(`64/27.${name}`, 'NS', 'ns.example.net.')];
  for (const path of ['/0=2F26.3.0.192.in-addr.arpa.', `/${encodeURIComponent(name)}`]) {
    assert.is((await call('PATCH', path, { rrsets })).status, 204);
    const sets = listOf((await call('GET', path)).body.rrsets).map((set) => `${set.name} ${set.type}`);
    assert.ok(sets.includes(`7.${name} PTR`) && sets.includes(`64/27.${name} NS`), sets.join());
  }
});

test('a dry run refuses the domains that the import refuses', async (live) => {
  const soa = '@ 60 SOA ns.example.net. me.example.net. 1 2 3 4 5\n';
  const import_ = async (zone: string, ...more: string[]): Promise<string> => {
    const file = join(folder, 'file');
    writeFileSync(file, `${soa}0/25 60 NS ns.example.net.\n7 60 CNAME 7.0/25\n`);
    const { stdout } = await live.waypost(['import', file, '--zone', zone, '--json', ...more]);
    const [{ action, error }] = JSON.parse(stdout).zones;
    return `${action} ${error?.code ?? ''}`;
  };
  await live.json(['account', 'add', 'taker', '--email', 't@example.com', '--password-stdin'], {
    stdin: 'a long enough password\n',
  });
  await live.json(['domain', '--account', 'taker', 'add', 'taken.test']);
  for (const [zone, result] of [
    ['4.0.192.in-addr.arpa', 'created '],
    ['0/25.5.0.192.in-addr.arpa', 'created '],
    ['a\\.b.test', 'created '],
    ['a b.test', 'failed invalid_domain'],
    ['*.test', 'failed invalid_domain'],
    ['192.0.2.1', 'failed invalid_domain'],
    ['sub.taken.test', 'failed '],
  ]) {
    assert.is(await import_(zone, '--dry-run'), result, `${zone}, dry run`);
    assert.is(await import_(zone), result, zone);
  }
  const file = join(folder, 'again');
  writeFileSync(file, soa);
  for (const more of [['--dry-run'], []]) {
    const { stderr } = await live.waypost(['zone', 'import', file, '--zone', '*.test', ...more]);
    assert.match(stderr, 'invalid_domain');
  }
});

test.run();
