/** PTR records that follow A and AAAA records, over all ways in, and the list of those without. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';

const REVERSE = '2.0.192.in-addr.arpa';
const CLASSLESS = '0/25.113.0.203.in-addr.arpa';
const V6 = '8.b.d.0.1.0.0.2.ip6.arpa';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly content: string;
  readonly ttl: number;
  readonly ptr?: boolean;
}

let daemon: Daemon;
let zones = 0;
const paths = new Map<string, string>();

async function zone(domain = `z${++zones}.example.net`): Promise<string> {
  const { body, text } = await daemon.call('POST', '/api/v1/domains', { json: { domain } });
  assert.ok(body.domain, text);
  const path = `/api/v1/domains/${body.domain.id}`;
  paths.set(domain, path);
  return path;
}

const outcome = ({ status, body }: Answer): string => (status === 200 ? 'ok' : `${status} ${body.error.code}`);
const rows = async (path: string, query = ''): Promise<Row[]> =>
  listOf((await daemon.call('GET', `${path}/records${query}`)).body.records) as unknown as Row[];
const ptrs = async (domain = REVERSE): Promise<string[]> =>
  (await rows(paths.get(domain)!, '?type=PTR')).map(({ name, ttl, content }) => `${name} ${ttl} ${content}`);
const add = (path: string, name: string, content: string, more: object = {}): Promise<Answer> =>
  daemon.call('POST', `${path}/records`, {
    json: { name, type: content.includes(':') ? 'AAAA' : 'A', content, ttl: 300, ...more },
  });
const put = (path: string, id: number, json: object): Promise<Answer> =>
  daemon.call('PUT', `${path}/records/${id}`, { json: { type: 'A', ...json } });
const batch = (path: string, json: object, query = ''): Promise<Answer> =>
  daemon.call('POST', `${path}/records/batch${query}`, { json });
const revisionOf = async (path: string): Promise<Json> => (await daemon.call('GET', path)).body.domain.revision;

const test = suite('PTR records that follow');
test.before(async () => {
  daemon = await startDaemon();
  for (const name of [REVERSE, CLASSLESS, V6]) await zone(name);
});
test.after.each(async () => {
  for (const [name, path] of paths)
    if (!name.endsWith('.arpa')) {
      await daemon.call('DELETE', path);
      paths.delete(name);
    }
});
test.after(() => daemon.stop());

test('a PTR record is created, changed and deleted with its record, in one revision', async () => {
  const path = await zone('a.example');
  const created = await add(path, 'www', '192.0.2.1', { ptr: true });
  assert.is(outcome(created), 'ok', created.text);
  const record = created.body.record as unknown as Row;
  assert.is(record.ptr, true);
  assert.equal(await ptrs(), ['1 300 www.a.example.']);
  assert.is(await revisionOf(path), await revisionOf(paths.get(REVERSE)!));
  await put(path, record.id, { name: 'www', content: '192.0.2.2', ttl: 600 });
  assert.equal(await ptrs(), ['2 600 www.a.example.']);
  await put(path, record.id, { name: 'web', content: '192.0.2.2' });
  assert.equal(await ptrs(), ['2 600 web.a.example.'], 'the name moves');
  assert.is((await rows(path))[0].ptr, true);
  await put(path, record.id, { name: 'web', content: '192.0.2.2', ptr: false });
  assert.equal([await ptrs(), (await rows(path))[0].ptr], [[], undefined]);
  await put(path, record.id, { name: 'web', content: '192.0.2.2', ptr: true });
  assert.equal(await ptrs(), ['2 600 web.a.example.']);
  await daemon.call('DELETE', `${path}/records/${record.id}`);
  assert.equal(await ptrs(), []);
});

test('all addresses of the name, IPv6 and classless zones', async () => {
  const path = await zone('a.example');
  await add(path, 'www', '192.0.2.1', { ptr: true });
  await add(path, 'www', '192.0.2.3');
  await add(path, 'www', '2001:db8::1', { ptr: true });
  await add(path, 'mail', '203.0.113.5', { ptr: true });
  assert.equal(await ptrs(), ['1 300 www.a.example.', '3 300 www.a.example.']);
  assert.equal(await ptrs(CLASSLESS), ['5 300 mail.a.example.']);
  assert.match((await ptrs(V6))[0], /^1\.0\.0\.[0.]+ 300 www\.a\.example\.$/);
  assert.is(outcome(await add(path, 'other', '203.0.113.200', { ptr: true })), '422 no_reverse_zone');
  await daemon.call('DELETE', path);
  assert.equal([await ptrs(), await ptrs(CLASSLESS), await ptrs(V6)], [[], [], []], 'and with the domain');
});

test('a CNAME of the whole network leads into the zone of the block', async () => {
  const path = await zone('a.example');
  const network = await zone('113.0.203.in-addr.arpa');
  paths.delete('113.0.203.in-addr.arpa');
  await daemon.call('POST', `${network}/records`, {
    json: { name: '7', type: 'CNAME', content: '7.0/25.113.0.203.in-addr.arpa.' },
  });
  assert.is(outcome(await add(path, 'www', '203.0.113.7', { ptr: true })), 'ok');
  assert.equal(await ptrs(CLASSLESS), ['7 300 www.a.example.']);
  await daemon.call('DELETE', network);
});

test('conflicts name the other record, and change nothing', async () => {
  const path = await zone('a.example');
  await add(path, 'www', '192.0.2.1', { ptr: true });
  const conflict = await add(path, 'mail', '192.0.2.1', { ptr: true });
  assert.is(outcome(conflict), '409 ptr_conflict');
  assert.match(String(conflict.body.error.message), /192\.0\.2\.1 already has the PTR record www\.a\.example\./);
  assert.equal(
    (await rows(path)).map(({ name }) => name),
    ['www'],
  );
  assert.is(outcome(await add(path, '*', '192.0.2.9', { ptr: true })), '422 no_ptr');
  const text = { name: 'x', type: 'TXT', content: '"x"', ptr: true };
  assert.is(outcome(await daemon.call('POST', `${path}/records`, { json: text })), '422 no_ptr');
  const [ptr] = await rows(paths.get(REVERSE)!, '?type=PTR');
  const kept = await daemon.call('DELETE', `${paths.get(REVERSE)}/records/${ptr.id}`);
  assert.is(outcome(kept), '409 ptr_kept');
  assert.match(String(kept.body.error.message), /www\.a\.example\. 192\.0\.2\.1 keeps this PTR record/);
});

test('an existing PTR record of the name is taken over', async () => {
  const path = await zone('a.example');
  await daemon.call('POST', `${paths.get(REVERSE)}/records`, {
    json: { name: '1', type: 'PTR', content: 'www.a.example.', ttl: 600 },
  });
  assert.is(outcome(await add(path, 'www', '192.0.2.1', { ptr: true })), 'ok');
  assert.equal(await ptrs(), ['1 300 www.a.example.']);
});

test('names exchange their addresses in a batch, and a preview shows the faults', async () => {
  const path = await zone('a.example');
  await add(path, 'a', '192.0.2.1', { ptr: true });
  await add(path, 'b', '192.0.2.2', { ptr: true });
  const [a, b] = await rows(path);
  const exchange = {
    put: [
      { id: a.id, name: 'a', type: 'A', content: '192.0.2.2' },
      { id: b.id, name: 'b', type: 'A', content: '192.0.2.1' },
    ],
  };
  assert.equal((await batch(path, exchange, '?dry_run=true')).body.preview.faults, []);
  assert.is(outcome(await batch(path, exchange)), 'ok');
  assert.equal(await ptrs(), ['1 300 b.a.example.', '2 300 a.a.example.']);
  const wrong = { post: [{ name: 'c', type: 'A', content: '192.0.2.1', ptr: true }] };
  const [fault] = listOf((await batch(path, wrong, '?dry_run=true')).body.preview.faults);
  assert.is(String(fault.code), 'ptr_conflict');
  assert.is(outcome(await batch(path, wrong)), '409 ptr_conflict');
});

test('an import, a restore and the PowerDNS API change PTR records as well', async () => {
  const path = await zone('a.example');
  await add(path, 'www', '192.0.2.1', { ptr: true });
  const before = await revisionOf(path);
  const file = '$TTL 300\nwww A 192.0.2.4\nother A 192.0.2.5\n';
  const imported = await daemon.call('PUT', `${path}/zonefile`, {
    body: file,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(outcome(imported), 'ok', imported.text);
  assert.equal(await ptrs(), ['4 300 www.a.example.']);
  const restored = await daemon.call('POST', `${path}/history/${before}/restore`);
  assert.is(outcome(restored), 'ok', restored.text);
  assert.equal(await ptrs(), ['1 300 www.a.example.']);
});

test('the list has the state of each address', async () => {
  const path = await zone('a.example');
  await add(path, 'ok', '192.0.2.1', { ptr: true });
  await add(path, 'missing', '192.0.2.2');
  await add(path, 'other', '192.0.2.1');
  await add(path, 'none', '198.51.100.1');
  await add(path, '*', '192.0.2.6');
  const all = listOf((await daemon.call('GET', `${path}/ptrs`)).body.ptrs) as unknown as {
    [field: string]: unknown;
  }[];
  assert.equal(
    all.map(({ name, state, ptr, reverse_domain: domain }) => [name, state, ptr, domain]),
    [
      ['missing', 'missing', false, REVERSE],
      ['none', 'no_zone', false, null],
      ['ok', 'ok', true, REVERSE],
      ['other', 'other', false, REVERSE],
    ],
  );
  assert.equal(all[3].targets, ['ok.a.example.']);
  const page = await daemon.call('GET', `${path}/ptrs?state=problem&limit=1`);
  assert.equal(
    listOf(page.body.ptrs).map(({ name }) => String(name)),
    ['missing'],
  );
  const next = await daemon.call('GET', `${path}/ptrs?state=problem&limit=1&cursor=${page.body.next_cursor}`);
  assert.equal(
    listOf(next.body.ptrs).map(({ name }) => String(name)),
    ['other'],
  );
});

test('a token that is limited to the address changes its PTR record with it', async () => {
  const path = await zone('a.example');
  const { body } = await add(path, 'www', '192.0.2.1', { ptr: true });
  const policies = [{ names: ['www'], types: ['A'], actions: ['read', 'update'] }];
  const created = await daemon.call('POST', '/api/v1/tokens', { json: { name: 'router', scopes: ['dns'], policies } });
  assert.is(outcome(created), 'ok', created.text);
  const token = String(created.body.token);
  const json = { name: 'www', type: 'A', content: '192.0.2.2' };
  const changed = await daemon.call('PUT', `${path}/records/${body.record.id}`, { json, token });
  assert.is(outcome(changed), 'ok', changed.text);
  assert.equal(await ptrs(), ['2 300 www.a.example.']);
  const switched = await daemon.call('PUT', `${path}/records/${body.record.id}`, {
    json: { ...json, ptr: false },
    token,
  });
  assert.is(outcome(switched), '403 token_policy', 'only the address');
});

test.run();
