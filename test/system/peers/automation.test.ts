/**
 * Tools that automate operations, as packaged: Ansible's modules nsupdate and uri, and the webhook
 * of external-dns as a process. One daemon serves them all.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, MAIN, runCommand } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';

const NSUPDATE_MODULE =
  '/usr/lib/python3/dist-packages/ansible_collections/community/general/plugins/modules/nsupdate.py';
const ZONE = 'tools.example.net';
const MEDIA_TYPE = 'application/external.dns.webhook+json;version=1';

interface Context {
  daemon: Borrowed;
  folder: string;
  secret: string;
  domainId: number;
}

const test = suite<Context>('automation');

test.before(async (context) => {
  const daemon = await borrowDaemon('plain');
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: 'tools.key', algorithm: 'hmac-sha512' });
  const domain = await daemon.api.call('POST', '/api/v1/domains', { domain: ZONE });
  const { id } = domain.body.domain as unknown as { id: number };
  Object.assign(context, { daemon, folder: temporaryFolder('tools'), secret: String(body.secret), domainId: id });
});
test.after(({ daemon }) => daemon?.giveBack());

async function records({ daemon, domainId }: Context): Promise<string[]> {
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${domainId}/records?limit=1000`);
  const rows = body.records as unknown as { name: string; ttl: number; type: string; content: string }[];
  return rows.map(({ name, ttl, type, content }) => `${name} ${ttl} ${type} ${content}`).sort();
}

async function ansible({ folder }: Context, tasks: readonly object[]): Promise<string> {
  const file = join(folder, 'playbook.json');
  // JSON is YAML.
  const play = { hosts: 'localhost', connection: 'local', gather_facts: false, tasks };
  writeFileSync(file, JSON.stringify([play]));
  const env = { HOME: folder, LC_ALL: 'C.UTF-8', ANSIBLE_NOCOLOR: '1', ANSIBLE_LOCALHOST_WARNING: 'false' };
  const args = ['-i', 'localhost,', '-e', 'ansible_python_interpreter=/usr/bin/python3', file];
  const { code, output } = await runProgram('ansible-playbook', args, env, PATIENCE_MS);
  assert.is(code, 0, output);
  return output;
}

test('Ansible: its module nsupdate adds, replaces and removes; uri writes by the API', async (context) => {
  const { daemon, secret, domainId } = context;
  const update = (name: string, more: object) => ({
    name,
    'community.general.nsupdate': {
      ...{ server: '127.0.0.1', port: daemon.dnsPort, zone: ZONE, ttl: 300 },
      ...{ key_name: 'tools.key', key_secret: secret, key_algorithm: 'hmac-sha512' },
      ...more,
    },
  });
  const uri = (name: string, method: string, path: string, body: object, status: number) => ({
    name,
    'ansible.builtin.uri': {
      ...{ url: `http://127.0.0.1:${daemon.adminPort}${path}`, method, body, body_format: 'json', status_code: status },
      headers: path.includes('/servers/')
        ? { 'X-API-Key': daemon.api.token }
        : { Authorization: `Bearer ${daemon.api.token}` },
    },
  });
  const rrset = {
    ...{ name: `pdns.${ZONE}.`, type: 'A', ttl: 300, changetype: 'REPLACE' },
    records: [{ content: '192.0.2.6' }],
  };
  const output = await ansible(context, [
    update('add', { record: 'www', value: ['192.0.2.1', '192.0.2.2'] }),
    update('same', { record: 'www', value: ['192.0.2.1', '192.0.2.2'] }),
    update('replace', { record: 'www', value: ['192.0.2.2', '192.0.2.3'] }),
    update('text', { record: 'text', type: 'TXT', value: ['v=spf1 -all'] }),
    update('gone', { record: 'text', type: 'TXT', state: 'absent' }),
    uri('api', 'POST', `/api/v1/domains/${domainId}/records`, { name: 'api', type: 'A', content: '192.0.2.4' }, 200),
    uri('powerdns', 'PATCH', `/api/v1/servers/localhost/zones/${ZONE}`, { rrsets: [rrset] }, 204),
  ]);
  assert.match(output, /ok=7 +changed=4 /, 'the same again is no change');
  assert.equal(await records(context), [
    'api 300 A 192.0.2.4',
    'pdns 300 A 192.0.2.6',
    'www 300 A 192.0.2.2',
    'www 300 A 192.0.2.3',
  ]);
});

test('the PowerDNS API: a secondary of one zone transfers it, and gets NOTIFY', async (context) => {
  const { daemon, domainId } = context;
  const axfr = ['@127.0.0.1', '-p', String(daemon.dnsPort), ZONE, 'AXFR'];
  const wasRefused = /Transfer failed/.test((await runProgram('dig', axfr)).output);
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  const put = (kind: string, value: string) =>
    daemon.api.call('PUT', `/api/v1/servers/localhost/zones/${ZONE}/metadata/${kind}`, { metadata: [value] });
  const { body } = await put('ALLOW-AXFR-FROM', '127.0.0.0/8');
  assert.equal(body.metadata, ['127.0.0.0/8']);
  await put('ALSO-NOTIFY', `127.0.0.1:${secondary.address().port}`);
  const change = { name: 'notified', type: 'A', content: '192.0.2.7' };
  const notified = once(secondary, 'message');
  await daemon.api.call('POST', `/api/v1/domains/${domainId}/records`, change);
  const [message] = (await notified) as [Buffer];
  assert.is((message[2] >> 3) & 15, 4, 'opcode NOTIFY');
  secondary.close();
  assert.ok(wasRefused);
  assert.match((await runProgram('dig', axfr)).output, /notified\.tools\.example\.net\.\s+300\s+IN\s+A\s+192\.0\.2\.7/);
});

test("acme.sh's dns_nsupdate: its scripts for nsupdate, with a key file and without a zone", async (context) => {
  const { daemon, folder, secret } = context;
  const before = await records(context);
  const keyFile = join(folder, 'tsig.key');
  writeFileSync(keyFile, `key "tools.key" {\n  algorithm hmac-sha512;\n  secret "${secret}";\n};\n`, { mode: 0o600 });
  const name = `_acme-challenge.www.${ZONE}`;
  const nsupdate = async (line: string): Promise<void> => {
    const script = join(folder, 'script');
    writeFileSync(script, `server 127.0.0.1 ${daemon.dnsPort}\n${line}\nsend\n`);
    const { code, output } = await runProgram('nsupdate', ['-k', keyFile, script]);
    assert.is(code, 0, output);
  };
  await nsupdate(`update add ${name}. 60 in txt "XKrxpRBosdIKFzxW"`);
  assert.ok((await records(context)).includes('_acme-challenge.www 60 TXT "XKrxpRBosdIKFzxW"'));
  await nsupdate(`update delete ${name}. txt`);
  assert.equal(await records(context), before);
});

test('external-dns: the command serves its webhook, with a token, a filter and a health check', async (context) => {
  const { daemon } = context;
  const before = await records(context);
  const env = {
    ...daemon.env,
    WAYPOST_URL: `http://127.0.0.1:${daemon.adminPort}`,
    WAYPOST_TOKEN: daemon.api.token,
  };
  const args = ['external-dns-webhook', '--listen', '127.0.0.1:0', '--domain-filter', ZONE];
  const child: Child = startChild(process.execPath, [MAIN, ...args], env);
  const [, url] = await child.waitFor(/^external-dns webhook ready: (\S+)$/m);
  const send = (path: string, body?: unknown): Promise<Response> =>
    fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: MEDIA_TYPE, ...(body !== undefined && { 'content-type': MEDIA_TYPE }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  assert.equal(await (await send('/')).json(), { include: [ZONE] });
  assert.is((await send('/healthz')).status, 200);
  const endpoint = { dnsName: `app.${ZONE}`, recordType: 'A', targets: ['192.0.2.5'], recordTTL: 60 };
  const create = await (await send('/adjustendpoints', [endpoint])).json();
  assert.is((await send('/records', { create })).status, 204);
  assert.equal(
    await records(context),
    ['app 60 A 192.0.2.5', ...before].sort((a, b) => (a < b ? -1 : 1)),
  );
  const stored = (await (await send('/records')).json()) as (typeof endpoint)[];
  const found = stored.filter(({ dnsName }) => dnsName === endpoint.dnsName);
  assert.equal(found, [{ ...endpoint, labels: {} }]);
  assert.is((await send('/records', { delete: found })).status, 204);
  assert.equal(await records(context), before);
  assert.is(await child.stop(), 0, child.output());
  assert.match(child.output(), /changes applied domain=tools\.example\.net created=1 updated=0 deleted=0/);
  const refused = await runCommand(['external-dns-webhook', '--listen', '0.0.0.0:8888'], env);
  assert.is(refused.code, 2);
});

const why =
  whyNotPrograms('ansible-playbook', 'nsupdate', 'dig') ??
  (existsSync(NSUPDATE_MODULE) ? null : "Ansible's module nsupdate is not installed");
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: automation, ${why}`);
