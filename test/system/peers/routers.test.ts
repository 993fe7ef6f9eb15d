/**
 * Requests of routers, as they send them, over HTTP/1.1 and HTTP/1.0.
 *
 * OPNsense: dns/ddclient/src/opnsense/scripts/ddclient/lib/account/dyndns2.py of its repository
 * `plugins`, with the library requests, which escapes values.
 *
 * FRITZ!Box: the placeholders of its help pages, filled in without escapes; user name and password
 * of its form as Basic authentication; `Fritz!Box DDNS/1.0.1` as User-Agent. Known requests were
 * recorded behind nginx, which speaks HTTP/1.0 to its origins, so both versions are tried.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';

const HOST = 'dns.waypost.test';
const test = suite('requests of routers');
let daemon: Daemon;
let port = 0;
let token = '';
let records = '';

test.before(async () => {
  const folder = temporaryFolder('routers');
  const [certificateFile, keyFile] = [join(folder, 'admin.pem'), join(folder, 'admin.key')];
  const key = ecKey();
  port = await freePort();
  writeFileSync(certificateFile, certificate({ name: HOST, key, dnsNames: [HOST] }));
  writeFileSync(keyFile, pemOfKey(key), { mode: 0o600 });
  daemon = await startDaemon({
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_ADMIN_HOSTNAME: HOST,
    WAYPOST_ADMIN_HOSTNAME_CERTIFICATE: certificateFile,
    WAYPOST_ADMIN_HOSTNAME_KEY: keyFile,
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const id = await daemon.api.createDomain('home.test');
  records = `/api/v1/domains/${id}/records`;
  const created = await daemon.api.call('POST', '/api/v1/tokens', { name: 'router', scopes: ['dns'] });
  token = String(created.body.token);
});
test.after(() => daemon.close());

const basic = (): string => `Basic ${Buffer.from(`router:${token}`).toString('base64')}`;

/** What the router reads until the connection ends: status, body. */
async function send(lines: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let response = '';
  for await (const chunk of socket) {
    response += chunk;
    // A connection of HTTP/1.1 stays open.
    if (/\r\n\r\n[\s\S]*\n$/.test(response)) break;
  }
  socket.destroy();
  const [, status, body] = /^HTTP\/1\.\d (\d+) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(response) ?? [];
  return `${status} ${body?.trim()}`;
}

const opnsense = (version: string, hosts: string, myip: string): string[] => [
  `GET /nic/update?hostname=${encodeURIComponent(hosts)}&myip=${encodeURIComponent(myip)}&wildcard=NOCHG HTTP/${version}`,
  `Host: ${HOST}`,
  'User-Agent: OPNsense-dyndns',
  'Accept-Encoding: gzip, deflate',
  'Accept: */*',
  'Connection: keep-alive',
  `Authorization: ${basic()}`,
];

/** `values`: of the placeholders of the URL, which is that of docs/dynamic-dns.md and one more. */
const fritzBox = (version: string, values: Readonly<Record<string, string>>): string[] => {
  const url =
    '/nic/update?hostname=<domain>,nas.home.test&myip=<ipaddr>&myipv6=<ip6addr>&ip6lanprefix=<ip6lanprefix>&dualstack=<dualstack>';
  return [
    `GET ${url.replace(/<(\w+)>/g, (_, name: string) => values[name] ?? '')} HTTP/${version}`,
    `Host: ${HOST}`,
    `Authorization: ${basic()}`,
    'User-Agent: Fritz!Box DDNS/1.0.1',
    ...(version === '1.0' ? ['Connection: close'] : []),
  ];
};

async function addresses(): Promise<string[]> {
  const { body } = await daemon.api.call('GET', records);
  return (body.records as { name: string; type: string; content: string }[])
    .map(({ name, type, content }) => `${name} ${type} ${content}`)
    .sort();
}

for (const version of ['1.1', '1.0'])
  test(`OPNsense and FRITZ!Box, HTTP/${version}`, async () => {
    const last = version === '1.1' ? 1 : 2;
    assert.is(await send(opnsense(version, 'gw.home.test', `192.0.2.${last}`)), `200 good 192.0.2.${last}`);
    assert.is(await send(opnsense(version, 'gw.home.test', `192.0.2.${last}`)), `200 nochg 192.0.2.${last}`);
    assert.is(
      await send(opnsense(version, 'gw.home.test,nas.home.test', `2001:db8::${last}`)),
      `200 good 2001:db8::${last}\ngood 2001:db8::${last}`,
    );
    const box = { domain: 'gw.home.test', ipaddr: `198.51.100.${last}`, dualstack: '1' };
    // Without IPv6 the box leaves the values empty.
    assert.is(
      await send(fritzBox(version, { ...box, dualstack: '0' })),
      `200 good 198.51.100.${last}\ngood 198.51.100.${last}`,
    );
    const ipv6 = { ip6addr: `2001:db8:5:${last}::1`, ip6lanprefix: `2001:db8:5:${last}::/64` };
    assert.is(
      await send(fritzBox(version, { ...box, ...ipv6 })),
      `200 good 198.51.100.${last},2001:db8:5:${last}::1\ngood 198.51.100.${last},2001:db8:5:${last}::${last}`,
    );
    assert.equal(await addresses(), [
      `gw A 198.51.100.${last}`,
      `gw AAAA 2001:db8:5:${last}::1`,
      `nas A 198.51.100.${last}`,
      `nas AAAA 2001:db8:5:${last}::${last}`,
    ]);
    assert.match(await send(fritzBox(version, { ...box, domain: 'gw.other.test' })), /^200 nohost\n/);
  });

test('a wrong password gets 401', async () => {
  const lines = opnsense('1.1', 'gw.home.test', '192.0.2.9').map((line) =>
    line.startsWith('Authorization') ? `Authorization: Basic ${Buffer.from('a:b').toString('base64')}` : line,
  );
  assert.is(await send(lines), '401 badauth');
});

test.run();
