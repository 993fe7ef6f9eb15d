/** `waypost import`, with the API. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/import');
const folder = mkdtempSync(join(tmpdir(), 'waypost-import-'));
test.before(async (context) => {
  Object.assign(context, await startLive({ WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: '127.0.0.0/8' }));
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

const write = (path: string, text: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const soa = (zone: string): string => `$TTL 60\n@ SOA ns.${zone}. me.${zone}. 1 7200 900 604800 60\n@ NS ns.${zone}.\n`;

interface Report {
  readonly ok: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly zones: readonly { zone: string; action: string; records: number; error?: { code: string } }[];
  readonly decisions: readonly { code: string; zone?: string; next?: string }[];
  readonly warnings: readonly { code: string }[];
  readonly errors: readonly { code: string }[];
}

async function report({ waypost }: Live, argv: readonly string[], expected = 0): Promise<Report> {
  const { code, stdout, stderr } = await waypost(['import', ...argv, '--json']);
  assert.is(code, expected, stderr + stdout);
  return JSON.parse(stdout);
}

const actions = ({ zones }: Report): string[] =>
  zones.map(({ zone, action, records }) => `${zone} ${action} ${records}`);
const codes = (findings: readonly { code: string; zone?: string }[]): string[] =>
  findings.map(({ code, zone }) => (zone === undefined ? code : `${code} ${zone}`));

test('a BIND configuration: dry run, import, again, replace', async (live) => {
  const config = write(
    'bind/etc/named.conf',
    `options { directory "/zones"; };
key xfr { algorithm hmac-sha256; secret "c2VjcmV0"; };
zone "a.test" { type master; file "db.a"; };
zone "b.test" { type master; file "db.b"; dnssec-policy default; };
zone "bad.test" { type master; file "db.bad"; };
zone "gone.test" { type master; file "db.gone"; };
zone "sec.test" { type slave; masters { 192.0.2.1; }; };
`,
  );
  write('bind/zones/db.a', `${soa('a.test')}$INCLUDE /zones/shared\n$GENERATE 1-3 h$ A 192.0.2.$\n`);
  write('bind/zones/shared', 'www A 192.0.2.1\n');
  write('bind/zones/db.b', `${soa('b.test')}www A 192.0.2.1\n`);
  const bad = write('bind/zones/db.bad', `${soa('bad.test')}www A nonsense\n`);
  const argv = [config, '--root', join(folder, 'bind'), '--secondaries', 'skip'];

  const planned = await report(live, [...argv, '--dry-run'], 1);
  assert.equal(actions(planned), [
    'a.test created 5',
    'b.test created 2',
    'bad.test created 1',
    'gone.test failed 0',
    'sec.test skipped 0',
  ]);
  assert.equal(await live.json(['domain', 'list']), []);
  const strict = await report(live, [...argv, '--dry-run', '--strict'], 1);
  assert.equal(actions(strict)[2], 'bad.test failed 0');

  const people = await live.waypost(['import', ...argv]);
  assert.is(people.code, 1);
  assert.match(people.stderr, `${bad}:4: warning: `);
  assert.match(people.stderr, /gone\.test .*: error: The file cannot be read: ENOENT.*\n {2}next: Pass --root/);
  assert.match(people.stdout, /^a\.test +created +5 +- +\S+db\.a$/m);
  assert.match(people.stdout, /Decisions:\n {2}b\.test: The old server signs the zone\..*\(dnssec_signed/);
  assert.match(people.stdout, /: 5 zones: 3 created, 1 left out, 1 failed; 8 records, /);

  const again = await report(live, argv, 1);
  assert.equal(actions(again).slice(0, 2), ['a.test unchanged 5', 'b.test unchanged 2']);
  assert.equal(codes(again.decisions), ['dnssec_signed b.test', 'tsig_key', 'secondary_zone sec.test']);
  assert.equal(codes(again.warnings), ['generate a.test']);

  write('bind/zones/db.a', `${soa('a.test')}www A 192.0.2.9\n`);
  const wanted = [...argv, '--zones', 'a.test'];
  assert.equal(actions(await report(live, wanted, 1)), ['a.test differs 2']);
  assert.is((await live.json(['record', 'list', 'a.test'])).length, 5);
  assert.equal(actions(await report(live, [...wanted, '--replace'])), ['a.test replaced 2']);
  const unchanged = await live.waypost(['import', ...wanted]);
  assert.is(unchanged.code, 0, unchanged.stderr);
  assert.match(unchanged.stdout, /1 zones: 1 unchanged; .*\nNothing was changed\.\n/);
});

test('a folder: names from the files, a domain without records, other owners', async (live) => {
  write('zones/c.test.zone', `${soa('c.test')}www A 192.0.2.1\n`);
  write('zones/db.d', `$ORIGIN d.test.\n${soa('d.test')}`);
  write('zones/noname', soa('x.test'));
  write('zones/README.md', 'no zone');
  write('zones/owned.test.zone', soa('owned.test'));
  await live.json(['domain', 'add', 'c.test']);
  await live.json(['account', 'add', 'other', '--email', 'o@example.com', '--password-stdin'], {
    stdin: 'a long enough password\n',
  });
  await live.json(['domain', '--account', 'other', 'add', 'owned.test']);
  const first = await report(live, [join(folder, 'zones')], 1);
  assert.equal(actions(first), ['c.test replaced 2', 'd.test created 1', 'owned.test failed 0']);
  assert.equal(codes(first.errors), ['zone_name_needed']);
  assert.equal(codes(first.decisions), ['owned_by_another owned.test']);
});

test('secondary zones stay secondaries, once their keys are here', async (live) => {
  const config = write(
    'sec/knot.conf',
    `key:
  - id: xfr.test.
    algorithm: hmac-sha256
    secret: c2VjcmV0
remote:
  - id: plain
    address: [127.0.0.1@9, 127.0.0.2]
  - id: keyed
    address: 127.0.0.1@9
    key: xfr.test.
  - id: tls
    address: 127.0.0.1@853
    tls: on
template:
  - id: default
    storage: ${join(folder, 'sec')}
zone:
  - domain: s1.test
    master: [plain, tls]
  - domain: s2.test
    master: keyed
`,
  );
  write('sec/s1.test.zone', `${soa('s1.test')}www A 192.0.2.1\n`);
  assert.equal(actions(await report(live, [config, '--dry-run'])), ['s1.test created 0', 's2.test skipped 0']);
  const first = await report(live, [config]);
  assert.equal(actions(first), ['s1.test created 0', 's2.test skipped 0']);
  assert.equal(codes(first.decisions), ['tsig_key', 'secondary_key s2.test']);
  const [domain] = (await live.json(['domain', 'list'])).filter((row) => String(row.domain) === 's1.test');
  assert.equal(domain.kind, 'secondary');
  await live.json(['tsig', 'add', 'xfr.test', '--scope', 'dns:read']);
  assert.equal(actions(await report(live, [config])), ['s1.test unchanged 0', 's2.test created 0']);
  assert.equal(actions(await report(live, [config])), ['s1.test unchanged 0', 's2.test unchanged 0']);
  const converted = await report(live, [config, '--secondaries', 'convert', '--zones', 's1.test'], 1);
  assert.equal(
    [actions(converted), codes(converted.decisions)],
    [['s1.test differs 0'], ['tsig_key', 'other_kind s1.test']],
  );
});

test('the export of Cloudflare: proxied names are marked, and a second run changes nothing', async (live) => {
  const file = write(
    'cf.txt',
    `;; Domain:     cf.test.
cf.test	3600	IN	SOA	ada.ns.cloudflare.com. dns.cloudflare.com. 2049 10000 2400 604800 3600
cf.test.	86400	IN	NS	ada.ns.cloudflare.com.
www.cf.test.	1	IN	A	192.0.2.1 ; cf_tags=cf-proxied:true
mail.cf.test.	60	IN	A	192.0.2.2 ; cf_tags=cf-proxied:false
cf.test.	1	IN	CNAME	www.cf.test. ; cf_tags=cf-proxied:true
`,
  );
  assert.equal(actions(await report(live, [file])), ['cf.test created 3']);
  const records = await live.json(['record', 'list', 'cf.test']);
  assert.equal(
    records.map(({ name, type, proxied }) => `${name} ${type} ${proxied}`),
    ['@ ALIAS true', 'mail A false', 'www A true'],
  );
  assert.equal(actions(await report(live, [file])), ['cf.test unchanged 3']);
  await live.json(['record', 'set', 'cf.test', 'www', 'A', '192.0.2.1', '--no-proxied']);
  assert.equal(actions(await report(live, [file], 1)), ['cf.test differs 3']);
  assert.equal(actions(await report(live, [file, '--replace'])), ['cf.test replaced 3']);
});

test('comments of an export are kept, also for records that the API would refuse', async (live) => {
  const file = write(
    'comments.txt',
    `;; Domain:     co.test.
co.test	3600	IN	SOA	ada.ns.cloudflare.com. dns.cloudflare.com. 2049 10000 2400 604800 3600
www.co.test.	1	IN	A	192.0.2.1 ; "the web"; here cf_tags=cf-proxied:false
www.co.test.	1	IN	A	192.0.2.2 ; second cf_tags=cf-proxied:false
short.co.test.	5	IN	TXT	"a ; b" ; of a short TTL
none.co.test.	60	IN	TXT	"no ; comment"
`,
  );
  assert.equal(actions(await report(live, [file])), ['co.test created 4']);
  const comments = async () =>
    (await live.json(['record', 'list', 'co.test'])).map(({ name, comment }) => `${name} ${comment}`);
  assert.equal(await comments(), [
    'none null',
    'short of a short TTL',
    'www "the web"; here\nsecond',
    'www "the web"; here\nsecond',
  ]);
  assert.equal(actions(await report(live, [file])), ['co.test unchanged 4']);
});

test('a folder of exports: what is not understood is reported, and an error with --strict', async (live) => {
  write(
    'exports/o.test.yaml',
    "---\n'':\n  type: MX\n  value: {preference: 10, exchange: mail.o.test.}\nx:\n  type: URLFWD\n  value: y\n",
  );
  write(
    'exports/g.yaml',
    'kind: dns#resourceRecordSet\nname: g.test.\nrrdatas:\n- ns.x. h.x. 1 2 3 4 5\nttl: 60\ntype: SOA\n---\nkind: dns#resourceRecordSet\nname: w.g.test.\nrrdatas:\n- 192.0.2.1\nttl: 60\ntype: A\n',
  );
  write('exports/broken.json', '{"result": [');
  write('exports/notes', 'hello');
  write('exports/utf16.zone', '');
  writeFileSync(
    join(folder, 'exports/utf16.zone'),
    Buffer.from('\ufeff$ORIGIN u.test.\r\n$TTL 60\r\n@ SOA a b 1 2 3 4 5\r\nw A 192.0.2.1\r\n', 'utf16le'),
  );
  const argv = [join(folder, 'exports')];
  const strict = await report(live, [...argv, '--strict', '--dry-run'], 1);
  assert.equal(actions(strict), ['u.test created 1', 'g.test created 1', 'o.test failed 0'].sort());
  assert.equal(codes(strict.errors).sort(), ['left_out o.test', 'not_understood', 'not_understood']);
  const imported = await report(live, argv);
  assert.equal(actions(imported), ['g.test created 1', 'o.test created 1', 'u.test created 1']);
  assert.equal(codes(imported.decisions), ['left_out o.test']);
  assert.equal(codes(imported.warnings), ['not_understood', 'not_understood']);
});

test('an include that cannot be read is a warning, and views of the same file need no decision', async (live) => {
  write('views/db.v', `${soa('v.test')}www A 192.0.2.1\n`);
  const config = write(
    'views/named.conf',
    `include "missing.conf";
view in { zone "v.test" { type primary; file "db.v"; }; };
view out { zone "v.test" { type primary; file "db.v"; }; };
`,
  );
  const imported = await report(live, [config]);
  assert.equal(actions(imported), ['v.test created 2']);
  assert.equal([codes(imported.warnings), codes(imported.decisions)], [['unreadable_include'], []]);
  assert.equal(codes((await report(live, [config, '--strict'], 1)).errors), ['unreadable_include']);
});

test('a zone file whose include cannot be read is imported without it, with a line, but not with --strict', async (live) => {
  const zone = `${soa('inc.test')}www A 192.0.2.1\n$INCLUDE missing\nftp A 192.0.2.2\n`;
  const file = write('included/inc.test.zone', zone);
  const planned = await report(live, [file, '--dry-run']);
  assert.equal(actions(planned), ['inc.test created 3']);
  const strict = await report(live, [file, '--strict'], 1);
  assert.equal(actions(strict), ['inc.test failed 0']);
  const { code, stdout } = await live.waypost(['import', file, '--json']);
  assert.is(code, 0);
  const [{ warnings, records }] = JSON.parse(stdout).zones;
  assert.is(records, 3);
  assert.equal([warnings[0].file, warnings[0].line, warnings[0].code], [file, 5, 'unreadable_include']);
  assert.match(warnings[0].message, /^\$INCLUDE missing: ENOENT.* What it has is left out\.$/);
  const checked = await live.waypost(['zone', 'check', file]);
  assert.is(checked.code, 1);
  assert.match(checked.stderr, new RegExp(`${file}:5: \\$INCLUDE missing: ENOENT`));
});

test('a list of knotc, a file of cli53 and folders of octoDNS are imported', async (live) => {
  const list = ['a.knotc.test', 'b.knotc.test'].map(
    (zone) => `[${zone}.] ${zone}. 3600 SOA ns.${zone}. me.${zone}. 2 2 3 4 5\n[${zone}.] w.${zone}. 60 A 192.0.2.1\n`,
  );
  const knotc = await report(live, [write('lists/knotc.txt', list.join(''))]);
  assert.equal(actions(knotc), ['a.knotc.test created 1', 'b.knotc.test created 1']);
  const alias = 'alias\t86400\tAWS\tALIAS\tA www $self false\n';
  const cli53 = write('lists/export.txt', `$ORIGIN cli53.test.\nwww\t300\tIN\tA\t192.0.2.1\n${alias}`);
  assert.equal(actions(await report(live, [cli53])), ['cli53.test created 2']);
  write('octodns/split.test./www.yaml', 'www:\n  type: A\n  value: 192.0.2.1\n');
  write(
    'octodns/split.test./$split.test.yaml',
    "'':\n  type: MX\n  value: {preference: 10, exchange: mx.other.test.}\n",
  );
  write('octodns/split.test.yaml', 'ftp:\n  type: A\n  value: 192.0.2.2\n');
  write('octodns/plain.test.yaml', 'ftp:\n  type: A\n  value: 192.0.2.2\n');
  const both = await report(live, [join(folder, 'octodns'), '--dry-run']);
  assert.equal(actions(both), ['plain.test created 1', 'split.test created 3']);
  const one = await report(live, [join(folder, 'octodns', 'split.test.')]);
  assert.equal(actions(one), ['split.test created 2']);
});

test('more zones than the plan allows are refused before any is created, and reported by a dry run', async (live) => {
  const { token } = await live.daemon.account('small');
  const env = { WAYPOST_TOKEN: token };
  for (let i = 0; i < 11; i++) write(`many/z${i}.plan.test.zone`, `${soa(`z${i}.plan.test`)}www A 192.0.2.1\n`);
  const many = join(folder, 'many');
  const domains = async (): Promise<number> => (await live.json(['domain', 'list'], { env })).length;
  const refused = await live.waypost(['import', many], { env });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /allows 10 domains: 0 are in use, and 11 new ones are too many.*\(plan_limit\)/);
  assert.is(await domains(), 0);
  const planned = await live.waypost(['import', many, '--dry-run', '--json'], { env });
  const { zones, errors } = JSON.parse(planned.stdout);
  assert.equal([planned.code, zones.length, errors[0].code], [1, 11, 'plan_limit']);
  const imported = await live.waypost(['zone', 'import', many], { env });
  assert.match(imported.stderr, /11 new ones are too many/);
  assert.is(await domains(), 0);
  // Zones that exist are not new.
  rmSync(join(many, 'z10.plan.test.zone'));
  await live.json(['domain', 'add', 'z0.plan.test'], { env });
  await live.json(['domain', 'add', 'z1.plan.test'], { env });
  const again = await live.waypost(['zone', 'import', many, '--replace'], { env });
  assert.match(again.stdout, /imported 10 zones/, again.stderr);
  assert.is((await live.waypost(['import', many, '--dry-run'], { env })).code, 0);
});

test('sources that cannot be read say why', async ({ waypost }) => {
  const failure = async (...argv: string[]): Promise<string> => {
    const { code, stderr } = await waypost(['import', ...argv]);
    assert.is(code, 1);
    return stderr;
  };
  assert.match(await failure(), /The source is missing\. .*\n {2}next: Name a configuration/);
  assert.match(await failure(join(folder, 'none')), /cannot be read: ENOENT/);
  assert.match(await failure(write('odd.txt', 'hello\n')), /that can be recognized.*\n {2}next: Pass --from/);
  assert.match(
    await failure(write('open.conf', 'zone "a" {\n'), '--from', 'bind'),
    /open\.conf:1: the block has no end/,
  );
  assert.match(await failure('--powerdns', 'nowhere'), /is not a valid URL/);
});

test.run();
