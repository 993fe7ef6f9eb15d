/**
 * Owner names with capitals from import to export: an export keeps the spelling, and all other
 * parts treat the names as equal.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, listOf, startDaemon } from '../../../daemon.ts';

const ZONE = 'capitals.test';
const FILE = `$ORIGIN Capitals.TEST.
$TTL 300
@\tSOA\tns1.example. h.example. 7 2 3 4 5
@\tNS\tns1.example.
WWW\tA\t192.0.2.1
www\tAAAA\t2001:db8::1
Mail.Sub.Capitals.Test.\tA\t192.0.2.2
_DMARC\tTXT\t"v=DMARC1"
plain\tA\t192.0.2.3
$ORIGIN Eu.Capitals.TEST.
host\tA\t192.0.2.4
`;
const OWNERS = ['@', '_DMARC', 'host.Eu', 'plain', 'Mail.Sub', 'WWW', 'WWW'];

const test = suite<{ daemon: Daemon; path: string }>('zonefile, capitals');
test.before(async (context) => {
  context.daemon = await startDaemon();
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { json: { domain: 'Capitals.Test' } });
  context.path = `/api/v1/domains/${body.domain.id}`;
});
test.after(({ daemon }) => daemon.stop());

const put = (daemon: Daemon, path: string, body: string) =>
  daemon.call('PUT', `${path}/zonefile?apex=keep`, { body, headers: { 'content-type': 'text/dns' } });

async function exported(daemon: Daemon, path: string): Promise<string[]> {
  const { text } = await daemon.call('GET', `${path}/zonefile`);
  const lines = text.split('\n').filter((line) => line.includes('\tIN\t') && !line.includes('\tSOA\t'));
  return lines.map((line) => line.split('\t')[0]);
}

test('an export keeps the capitals of the import, also after a second import', async ({ daemon, path }) => {
  const first = await put(daemon, path, FILE);
  assert.is(first.status, 200, first.text);
  assert.is(Number(first.body.records), 7);
  assert.equal(await exported(daemon, path), OWNERS);
  const { text } = await daemon.call('GET', `${path}/zonefile`);
  assert.ok(text.startsWith(`$ORIGIN ${ZONE}.\n`));
  const again = await put(daemon, path, text);
  assert.is(again.status, 200, again.text);
  assert.equal((await daemon.call('GET', `${path}/zonefile`)).text.replace(/SOA.*/, ''), text.replace(/SOA.*/, ''));
});

test('the API shows names in lower case and accepts any case', async ({ daemon, path }) => {
  const records = listOf((await daemon.call('GET', `${path}/records?name=WwW`)).body.records);
  assert.equal(
    records.map(({ name, type }) => `${name} ${type}`),
    ['www A', 'www AAAA'],
  );
  const added = await daemon.call('POST', `${path}/records`, {
    json: { name: 'wWw', type: 'A', content: '192.0.2.9' },
  });
  assert.is(added.status, 200, added.text);
  assert.equal(await exported(daemon, path), [...OWNERS, 'WWW']);
});

test('the next import replaces the spellings', async ({ daemon, path }) => {
  const lower = await put(
    daemon,
    path,
    FILE.replaceAll(/^[A-Z_][\w.]*\t/gm, (owner) => owner.toLowerCase()),
  );
  assert.is(lower.status, 200, lower.text);
  assert.equal(
    await exported(daemon, path),
    OWNERS.map((owner) => (owner === 'host.Eu' ? owner : owner.toLowerCase())),
  );
});

test.run();
