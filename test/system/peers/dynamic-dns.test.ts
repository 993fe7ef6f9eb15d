/** Clients of dyndns2 from Debian, which update addresses of a daemon: ddclient and inadyn. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { type Run, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

/** A name that resolves without DNS. */
const HOST = 'localhost';
const HOSTS = ['gw.home.test', 'nas.home.test'];

interface Context {
  daemon: Daemon;
  folder: string;
  certificateFile: string;
  /** Host and port of the admin API behind the edge, over TLS. */
  server: string;
  token: string;
  path: string;
}

const test = suite<Context>('clients of dyndns2');
test.before(async (context) => {
  const folder = temporaryFolder('dyndns');
  const [certificateFile, keyFile] = [join(folder, 'admin.pem'), join(folder, 'admin.key')];
  const [key, https] = [ecKey(), await freePort()];
  writeFileSync(certificateFile, certificate({ name: HOST, key, dnsNames: [HOST] }));
  writeFileSync(keyFile, pemOfKey(key), { mode: 0o600 });
  context.daemon = await startDaemon({
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_ADMIN_HOSTNAME: HOST,
    WAYPOST_ADMIN_HOSTNAME_CERTIFICATE: certificateFile,
    WAYPOST_ADMIN_HOSTNAME_KEY: keyFile,
  });
  Object.assign(context, { folder, certificateFile, server: `${HOST}:${https}` });
  const { api } = context.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await api.call('POST', '/api/v1/domains', { domain: 'home.test' });
  const { id } = body.domain as { id: number };
  context.path = `/api/v1/domains/${id}`;
  const created = await api.call('POST', '/api/v1/tokens', { name: 'router', scopes: ['dns'], domains: [id] });
  context.token = String(created.body.token);
});
test.after(async ({ daemon, folder }) => {
  await daemon?.close();
  removeFolder(folder);
});

async function addresses({ daemon, path }: Context): Promise<string[]> {
  const { body } = await daemon.api.call('GET', `${path}/records`);
  return (body.records as { name: string; type: string; content: string }[])
    .map(({ name, type, content }) => `${name} ${type} ${content}`)
    .sort();
}

const both = (type: string, content: string): string[] => [`gw ${type} ${content}`, `nas ${type} ${content}`];

/**
 * One run of ddclient, without the cache of its last addresses. It takes no server without a dot,
 * so it uses the plain HTTP of the admin API.
 */
function ddclient({ daemon, folder, token }: Context, ip: string, password = token): Promise<Run> {
  const config = join(folder, 'ddclient.conf');
  const lines = [
    ...['ssl=no', 'use=ip', `ip=${ip}`, 'protocol=dyndns2', `server=127.0.0.1:${daemon.adminPort}`],
    ...['login=router', `password='${password}'`, HOSTS.join(',')],
  ];
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 });
  const files = ['-file', config, '-cache', join(folder, 'ddclient.cache'), '-pid', join(folder, 'ddclient.pid')];
  rmSync(join(folder, 'ddclient.cache'), { force: true });
  return runProgram('ddclient', [...files, '-daemon=0', '-verbose', '-noquiet']);
}

/** One run of inadyn, with one request for each host, over TLS. It speaks HTTP/1.0. */
function inadyn({ folder, certificateFile, server, token }: Context, ip: string, password = token): Promise<Run> {
  const config = join(folder, 'inadyn.conf');
  writeFileSync(
    config,
    `allow-ipv6 = true
ca-trust-file = "${certificateFile}"
custom waypost {
  ssl = true
  username = router
  password = ${password}
  checkip-command = "echo ${ip}"
  ddns-server = "${server}"
  ddns-path = "/nic/update?hostname=%h&myip=%i"
  hostname = { ${HOSTS.map((host) => `"${host}"`).join(', ')} }
}
`,
    { mode: 0o600 },
  );
  const options = ['--once', '--force', '--foreground', '--no-pidfile', '--loglevel', 'debug'];
  return runProgram('inadyn', [...options, '--config', config, '--cache-dir', folder]);
}

/** Shows all of the output if the text is not in it. */
function includes({ output }: Run, text: string): void {
  assert.ok(output.includes(text), `${text}: ${output}`);
}

if (whyNotPrograms('ddclient') === null)
  test('ddclient sets, changes and confirms the addresses of its hosts', async (context) => {
    const first = await ddclient(context, '192.0.2.1');
    for (const host of HOSTS) includes(first, `SUCCESS:  updating ${host}: good: IP address set to 192.0.2.1`);
    assert.equal(await addresses(context), both('A', '192.0.2.1'));
    const changed = await ddclient(context, '192.0.2.2');
    includes(changed, 'good: IP address set to 192.0.2.2');
    assert.equal(await addresses(context), both('A', '192.0.2.2'));
    const again = await ddclient(context, '192.0.2.2');
    for (const host of HOSTS) includes(again, `updating ${host}: nochg: No update required`);
    const refused = await ddclient(context, '192.0.2.3', `${context.token}x`);
    assert.match(refused.output, /authorization failed \(HTTP\/1\.\d 401/);
    assert.equal(await addresses(context), both('A', '192.0.2.2'));
  });

if (whyNotPrograms('inadyn') === null)
  test('inadyn sets IPv4 and IPv6 addresses of its hosts', async (context) => {
    const first = await inadyn(context, '198.51.100.1');
    assert.is(first.code, 0, first.output);
    assert.equal(await addresses(context), both('A', '198.51.100.1'));
    const again = await inadyn(context, '198.51.100.1');
    includes(again, 'nochg 198.51.100.1');
    assert.is((await inadyn(context, '2001:db8::5')).code, 0);
    assert.equal(await addresses(context), [...both('A', '198.51.100.1'), ...both('AAAA', '2001:db8::5')].sort());
    const refused = await inadyn(context, '198.51.100.2', 'wrong');
    assert.match(refused.output, /401|badauth/);
    assert.is.not(refused.code, 0);
  });

test.run();
