import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../../core/dns/wire/name.ts';
import { write } from '../../../../../core/journal/draft/draft.ts';
import { nameOfKey } from '../../../../../core/store/keys.ts';
import { type AliasFamily, type AliasTarget, aliasTargets } from '../../../../../core/store/rows.ts';
import { type Answer, type Daemon, listOf, startDaemon } from '../../../daemon.ts';

let daemon: Daemon;
let zones = 0;

const test = suite('zonefile');
test.before(async () => {
  daemon = await startDaemon();
});
test.after(() => daemon.stop());

async function newZone(name = `f${++zones}.example.net`) {
  const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: name } });
  const path = `/api/v1/domains/${body.domain.id}`;
  const send = (text: string, query = '', type = 'text/dns'): Promise<Answer> =>
    daemon.call('PUT', `${path}/zonefile${query}`, { body: text, headers: { 'content-type': type } });
  const read = async () => (await daemon.call('GET', `${path}/zonefile`)).text;
  return { name, path, send, read, id: String(body.domain.id) };
}

/** Every node of the answers table at or below a name, by name. */
function answers(zone: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { key, value } of daemon.environment.answers.getRange({})) {
    const name = formatName(nameOfKey(key as Buffer, 0, (key as Buffer).length));
    if (name === `${zone}.` || name.endsWith(`.${zone}.`)) found.set(name, Buffer.from(value).toString('hex'));
  }
  return found;
}

const FULL = `
@ 600 IN MX 10 mail
@ A 192.0.2.77
mail A 192.0.2.25
www 60 A 192.0.2.1
www 60 A 192.0.2.2
www TXT "some \\" text"
ftp CNAME www
far CNAME www.example.org.
*.w A 192.0.2.3
d NS ns.d
d NS ns.example.org.
d NS zz.example.net.
ns.d A 192.0.2.4
n DNAME example.org.
_s._tcp SRV 1 2 3 mail
x TYPE65280 \\# 2 abcd
`;

test('an export for other servers has the addresses of ALIAS records in their place', async () => {
  const { send, path } = await newZone();
  await send('www 50 ALIAS target.example.\nwww 50 TXT x\ngone 50 ALIAS nowhere.example.\n');
  const family = (...addresses: string[]): AliasFamily => ({ addresses, ttl: 60, stale: false, goodAt: 1 });
  const row: AliasTarget = {
    ...{ name: parseName('target.example.'), error: null, checkedAt: 1, spread: null },
    ...{ a: family('c0000201', 'c0000202'), aaaa: family('20010db8000000000000000000000001') },
  };
  await write(daemon.environment, daemon.journal, 'test', (draft) => draft.put(aliasTargets, row));
  const lines = async (query: string) =>
    (await daemon.call('GET', `${path}/zonefile${query}`)).text.split('\n').filter((line) => /www|gone/.test(line));
  const portable = [
    'gone\t50\tIN\tHINFO\t"ALIAS" "no addresses"',
    'www\t50\tIN\tTXT\t"x"',
    'www\t50\tIN\tA\t192.0.2.1',
    'www\t50\tIN\tA\t192.0.2.2',
    'www\t50\tIN\tAAAA\t2001:db8::1',
    '; gone ALIAS nowhere.example.: it has no address now',
  ];
  for (const reader of ['bind', 'knot', 'nsd']) assert.equal(await lines(`?for=${reader}`), portable);
  const own = ['gone\t50\tIN\tALIAS\tnowhere.example.', 'www\t50\tIN\tTXT\t"x"'];
  for (const query of ['', '?for=waypost'])
    assert.equal(await lines(query), [...own, 'www\t50\tIN\tALIAS\ttarget.example.']);
  assert.is((await daemon.call('GET', `${path}/zonefile?for=djbdns`)).body.error.code, 'invalid_for');
});

test('an export for other servers has addresses in the place of automatic hints', async () => {
  const { send, path } = await newZone();
  const own = '1 . alpn="h2" ipv4hint=auto ipv6hint=auto';
  await send(`www 50 A 192.0.2.2\nwww 50 A 192.0.2.1\nwww 50 HTTPS 1 . alpn=h2 ipv4hint=auto ipv6hint=auto\n`);
  const lineOf = async (query: string) =>
    (await daemon.call('GET', `${path}/zonefile${query}`)).text.split('\n').find((line) => line.includes('HTTPS'));
  assert.is(await lineOf(''), `www\t50\tIN\tHTTPS\t${own}`);
  for (const reader of ['bind', 'knot', 'nsd'])
    assert.is(await lineOf(`?for=${reader}`), 'www\t50\tIN\tHTTPS\t1 . alpn="h2" ipv4hint=192.0.2.1,192.0.2.2');
  const { body } = await daemon.call('GET', `${path}/records?type=HTTPS`);
  const [record] = listOf(body.records);
  assert.is(record.content, own as never);
});

test('replaces all records, and exports them with SOA and NS first', async () => {
  const { send, read, path } = await newZone();
  const first = await send(FULL);
  assert.is(first.status, 200, first.text);
  assert.is(first.body.records, 16 as never);
  assert.is(first.body.domain.record_count, 16 as never);
  const text = await read();
  const lines = text.split('\n');
  assert.match(lines[2], /^@\t3600\tIN\tSOA\tns1.waypost.test. hostmaster.waypost.test. \d+ 3600 600 1209600 300$/);
  assert.match(lines[3], /^@\t86400\tIN\tNS\tns1.waypost.test.$/);
  // The export can be imported, and is equal except for the serial.
  const again = await send(text);
  assert.is(again.body.records, 16 as never, again.text);
  assert.equal((await read()).split('\n').slice(3), lines.slice(3));
  assert.is((await send('only A 192.0.2.1\n')).body.records, 1 as never);
  const left = (await daemon.call('GET', `${path}/records`)).body.records;
  assert.equal(
    listOf(left).map((record) => String(record.name)),
    ['only'],
  );
});

for (const filler of [0, 4000])
  test(`the answers match the rows (${filler} more, ${filler ? 'in a worker' : 'on the main thread'})`, async () => {
    const more = Array.from({ length: filler }, (_, i) => `h${i} A 192.0.2.${i & 255}`).join('\n');
    const { send, name } = await newZone();
    assert.is((await send(FULL + more)).status, 200);
    const imported = answers(name);
    const rebuilt = await rebuild(name);
    assert.is(imported.size, 12 + filler);
    for (const [owner, node] of rebuilt) if (owner !== `${name}.`) assert.is(imported.get(owner), node, owner);
    assert.is(rebuilt.size, imported.size);
  });

/** Records that an import warns of. */
const ODD = `
a.*.b A 192.0.2.1
*.*.c TXT x
m DNAME n
x.m A 192.0.2.1
d.m NS ns.example.org.
x.n A 192.0.2.2
cut NS ns.cut
cut DNAME example.org.
ns.cut A 192.0.2.3
x.cut TXT hidden
y.cut NS ns.example.org.
to CNAME x.m
* A 192.0.2.4
`;

test('the answers match the rows of a zone with warnings', async () => {
  const { send, name } = await newZone();
  assert.is((await send(ODD)).status, 200);
  const imported = answers(name);
  const rebuilt = await rebuild(name);
  for (const [owner, node] of rebuilt) if (owner !== `${name}.`) assert.is(imported.get(owner), node, owner);
  assert.equal(
    [rebuilt.size, imported.has(`x.m.${name}.`), imported.has(`x.cut.${name}.`)],
    [imported.size, false, false],
  );
});

/** The nodes of the zone, compiled from the rows when the change is applied. */
async function rebuild(name: string): Promise<Map<string, string>> {
  const { body } = await daemon.call('GET', `/api/v1/domains?q=${name}`);
  const id = String(body.domains[0].id);
  const text = await (await daemon.call('GET', `/api/v1/domains/${id}/zonefile`)).text;
  await daemon.call('DELETE', `/api/v1/domains/${id}`);
  assert.is(answers(name).size, 0);
  const fresh = await newZone(name);
  const nested = await newZone(`nested-for-a-moment.${name}`);
  // With a nested zone, no nodes are compiled in advance.
  assert.is((await fresh.send(text)).status, 200);
  await daemon.call('DELETE', nested.path);
  return answers(name);
}

test('apex=keep uses SOA timers, serial and NS of the file', async () => {
  const { send, read, path, name } = await newZone();
  const file = `@ 7200 IN SOA ns.${name}. ops.example.org. 3000000000 11 12 13 14\n@ 500 NS ns\n@ 500 NS ns.example.org.\nns A 192.0.2.1\n`;
  const kept = await send(file, '?apex=keep');
  assert.is(kept.status, 200, kept.text);
  assert.equal(listOf(kept.body.domain.nameservers).map(String), [`ns.${name}`, 'ns.example.org']);
  const lines = (await read()).split('\n');
  assert.match(lines[2], /^@\t7200\tIN\tSOA\tns\.\S+ ops.example.org. 300000000\d 11 12 13 14$/);
  assert.equal(lines.slice(3, 5), [`@\t500\tIN\tNS\tns.${name}.`, '@\t500\tIN\tNS\tns.example.org.']);
  const ns = listOf((await daemon.call('GET', `${path}/records?type=NS`)).body.records);
  assert.is(ns.length, 2);
  const json = { name: '@', type: 'NS', content: 'x.example.org' };
  for (const [method, at] of [
    ['PUT', `/${ns[0].id}`],
    ['DELETE', `/${ns[0].id}`],
    ['POST', ''],
  ])
    assert.is(
      (await daemon.call(method, `${path}/records${at}`, { json })).body.error.code,
      'apex_ns_is_ours' as never,
    );
  // Without apex=keep, the apex records of the service replace those of the file.
  assert.is((await send(file)).body.records, 1 as never);
  assert.match(await read(), /NS\tns1\.waypost\.test\./);
});

const BAD: readonly (readonly [file: string, lines: readonly number[], query?: string])[] = [
  ['a A 192.0.2.1\nb A 192.0.2.300\nc AA 1\nd A 192.0.2.1\n$INCLUDE x\n', [2, 3, 5]],
  ['a CNAME b\nb A 192.0.2.1\na A 192.0.2.1\n', [3]],
  ['a A 192.0.2.1\na CNAME b\n', [2]],
  ['a CNAME b\na CNAME c\n', [1]],
  ['@ CNAME b\n', [1]],
  ['*.x NS ns.example.org.\n', [1]],
  ['$TTL 300\nx.d TXT x\nd NS ns.example.org.\nd MX 1 x.example.org.\n', [2, 4], '?strict=true'],
  ['c 300 CNAME x\n@ MX 1 c\nd NS c\n', [2, 3], '?strict=true'],
  ['@ MX 1 a..b\n@ MX 1 a_-.x\n', [1]],
  ['@ 300 MX 1 a_-.x\n', [1], '?strict=true'],
  ['$TTL 300\nwww.example.org. A 192.0.2.1\n', [2], '?strict=true'],
  ['m DNAME example.org.\nm DNAME example.net.\n', [1]],
  ['a ALIAS .\nb ALIAS 192.0.2.1.\n', [1, 2]],
  ['a A 192.0.2.1\n', [1], '?apex=keep'],
  [`a TXT x\n${Array.from({ length: 1250 }, (_, i) => `b TXT "${i}${'x'.repeat(200)}"\n`).join('')}`, [2]],
];

test('reports every bad line and changes nothing', async () => {
  const { send, read } = await newZone();
  await send('before A 192.0.2.1\n');
  const before = await read();
  for (const [file, lines, query] of BAD) {
    const answer = await send(file, query);
    assert.is(answer.status, 422, `${file.slice(0, 80)}: ${answer.text.slice(0, 300)}`);
    assert.is(answer.body.error.code, 'invalid_zonefile' as never);
    const details = listOf(answer.body.error.details);
    assert.equal(
      details.map((detail) => Number(detail.line)),
      lines,
      `${file.slice(0, 80)}: ${answer.text.slice(0, 500)}`,
    );
    assert.ok(details.every((detail) => typeof (detail.message as unknown) === 'string'));
  }
  assert.is(await read(), before);
});

test('concurrent imports run one after the other and never mix', async () => {
  const { send, path } = await newZone();
  const file = (letter: string) => Array.from({ length: 50 }, (_, i) => `${letter}${i} A 192.0.2.1`).join('\n');
  const results = await Promise.all([...'abcdef'].map((letter) => send(file(letter))));
  assert.ok(results.every((answer) => answer.status === 200));
  const left = listOf((await daemon.call('GET', `${path}/records?limit=1000`)).body.records);
  assert.is(left.length, 50);
  assert.is(new Set(left.map((record) => String(record.name)[0])).size, 1);
  assert.is((await daemon.call('GET', path)).body.domain.record_count, 50 as never);
});

test('an import concurrent with single writes is atomic', async () => {
  const { send, path } = await newZone();
  const add = (i: number) =>
    daemon.call('POST', `${path}/records`, { json: { name: `s${i}`, type: 'A', content: '192.0.2.1' } });
  await Promise.all([send('i A 192.0.2.1\n'), ...Array.from({ length: 8 }, (_, i) => add(i)), send('j A 192.0.2.1\n')]);
  const { body } = await daemon.call('GET', `${path}/records?limit=1000`);
  const count = (await daemon.call('GET', path)).body.domain.record_count;
  assert.is(listOf(body.records).length, Number(count));
});

test('an import commits despite frequent writers', async () => {
  const { send, path } = await newZone();
  let stop = false;
  let added = 0;
  const writer = async (w: number) => {
    while (!stop) {
      const json = { name: `w${w}-${added++}`, type: 'A', content: '192.0.2.1' };
      assert.is((await daemon.call('POST', `${path}/records`, { json })).status, 200);
    }
  };
  const writers = Array.from({ length: 16 }, (_, w) => writer(w));
  for (let i = 0; i < 5; i++) assert.is((await send(`i${i} A 192.0.2.1\n`)).status, 200);
  stop = true;
  await Promise.all(writers);
  assert.ok(added > 16);
});

test('rejects a wrong content type and query', async () => {
  const { send } = await newZone();
  assert.is((await send('a A 192.0.2.1\n', '', 'application/json')).status, 415);
  assert.is((await send('a A 192.0.2.1\n', '', 'text/plain; charset=utf-8')).status, 200);
  assert.is((await send('a A 192.0.2.1\n', '?apex=maybe')).status, 400);
  assert.is((await send('a A 192.0.2.1\n', '?strict=ture')).body.error.code, 'invalid_strict' as never);
  const mistyped = await send('a A 192.0.2.1\n', '?strcit=true');
  assert.equal([mistyped.status, mistyped.body.error.code], [400, 'unknown_parameter'] as never);
  assert.match(String(mistyped.body.error.message), /"strcit"; did you mean "strict"\?/);
  assert.is((await send('')).body.records, 0 as never);
});

test('a large $GENERATE does not block the main thread', async () => {
  const { send } = await newZone();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  // A delay is measured between two ticks.
  await wait(20);
  const started = performance.now();
  // The error at the end keeps the commit out of the measurement.
  const { status, body } = await send('$GENERATE 1-262144 h$ A 192.0.2.1\nx FOO y\n');
  const took = performance.now() - started;
  await wait(20);
  delays.disable();
  assert.equal([status, listOf(body.error.details).map(({ line }) => Number(line))], [422, [2]]);
  // A thread that parsed would stand still for nearly all of it, however long that is.
  assert.ok(delays.max / 1e6 < took / 2, `${Math.round(delays.max / 1e6)} of ${Math.round(took)} ms`);
});

test.run();
