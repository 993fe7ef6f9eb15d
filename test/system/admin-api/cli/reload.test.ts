/** SIGHUP and "waypost reload": changed and invalid settings and files of a running daemon. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, environment, runCommand, startDaemon } from '../../../support/daemon.ts';
import { UdpClient } from '../../../support/dns-client.ts';
import { encodeQuery } from '../../../support/message.ts';
import { freePort } from '../../../support/ports.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { unverified } from '../../../support/tls-client.ts';
import { transferOver, transferRequest } from '../../../support/transfer-client.ts';
import { until } from '../../../support/until.ts';

const test = suite<{ daemon: Daemon }>('reload');
const folder = temporaryFolder('reload');
const file = join(folder, 'waypost.toml');
const backups = join(folder, 'backups');

/** Writes a certificate and its key as NAME.crt and NAME.key. */
function writeCertificate(name: string): { readonly crt: string; readonly key: string } {
  const key = ecKey();
  const paths = { crt: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  writeFileSync(paths.crt, certificate({ name, key, dnsNames: [name] }));
  writeFileSync(paths.key, pemOfKey(key));
  return paths;
}

const first = writeCertificate('first.test');
const second = writeCertificate('second.test');
const certificates = ({ crt, key }: typeof first) => ({
  dns: `tls_certificate = "${crt}"\ntls_key = "${key}"\n`,
  edge: `default_certificate = "${crt}"\ndefault_key = "${key}"\n`,
});

let dotPort: number;
let httpsPort: number;

/** The name in the certificate that a client without a server name gets. */
const nameAt = (port: number, alpn?: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(unverified({ port, host: '127.0.0.1', ALPNProtocols: alpn === undefined ? [] : [alpn] }));
    socket.on('error', () => resolve(undefined));
    socket.on('secureConnect', () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
  });

async function reload({ env }: Daemon): Promise<{ code: number | null; output: string }> {
  return runCommand(['reload'], env);
}

const policyOf = async ({ api }: Daemon): Promise<string | null> =>
  (await api.call('GET', '/api/v1/domains')).headers.get('ratelimit-policy');

test.before(async (context) => {
  dotPort = await freePort();
  httpsPort = await freePort();
  const { dns, edge } = certificates(first);
  writeFileSync(file, `node_name = "one"\n[dns]\n${dns}[edge]\n${edge}`);
  context.daemon = await startDaemon({
    WAYPOST_CONFIG: file,
    WAYPOST_RATE_LIMIT: '',
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${dotPort}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    WAYPOST_EDGE_WORKERS: '1',
  });
  await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
  await context.daemon.api.createDomain('example.com');
});

test.after(async ({ daemon }) => daemon.close());

test('an invalid file is refused by command and signal, and changes nothing', async ({ daemon }) => {
  const { dns, edge } = certificates(first);
  const valid = `node_name = "one"\n[dns]\n${dns}[edge]\n${edge}`;
  writeFileSync(file, `rate_limit = -1\n${valid}`);
  const refused = await reload(daemon);
  assert.is(refused.code, 1);
  assert.match(refused.output, /rate_limit \(.*waypost\.toml:1\): found -1/);
  process.kill(daemon.child.pid, 'SIGHUP');
  await daemon.child.waitFor(/the new configuration is invalid; the previous one stays .*rate_limit/);
  // Valid by itself, but a start would refuse it.
  writeFileSync(file, valid.replaceAll('first.test.crt', 'missing.crt'));
  const missing = await reload(daemon);
  assert.is(missing.code, 1);
  assert.match(missing.output, /missing\.crt/);
  assert.match(missing.output, /The daemon keeps its previous configuration/);
  assert.is(await nameAt(httpsPort), 'first.test');
});

test('changed settings are applied, and those that need a restart are named', async ({ daemon }) => {
  const isTransferred = () =>
    transferOver(daemon.dnsPort, transferRequest('example.com.')).then(
      (records) => records.length > 1,
      () => false,
    );
  assert.match(String(await policyOf(daemon)), /q=1200;/);
  assert.is(await isTransferred(), false);
  assert.equal([await nameAt(dotPort, 'dot'), await nameAt(httpsPort)], ['first.test', 'first.test']);

  const { dns, edge } = certificates(second);
  writeFileSync(
    file,
    [
      'node_name = "two"\nrate_limit = 777',
      `[dns]\n${dns}rrl_rate = 1\nrrl_slip = 0\nrrl_allow = []`,
      `[edge]\n${edge}max_connections = 99\nresolvers = ["127.0.0.1:9"]`,
      '[transfer]\nallow = ["127.0.0.1"]',
      `[backup]\nfolder = "${backups}"\nencryption = "none"`,
      '[log]\nformat = "json"\nlevel = "debug"',
      '[acme]\ndirectory = "https://127.0.0.1:9/directory"',
      '[plans]\nfree = 3',
    ].join('\n'),
  );
  const { code, output } = await reload(daemon);
  assert.is(code, 0, output);
  for (const key of [
    'rate_limit',
    'edge.max_connections',
    'dns.rrl_rate',
    'transfer.allow',
    'backup.folder',
    'acme.directory',
  ])
    assert.match(output, new RegExp(`^applied: .*\\b${key}\\b`, 'm'));
  assert.match(output, /^restart needed for: node_name$/m);
  await daemon.child.waitFor(/"message":"changed settings need a restart".*"settings":"node_name"/);

  assert.match(String(await policyOf(daemon)), /q=777;/);
  assert.equal([await nameAt(dotPort, 'dot'), await nameAt(httpsPort)], ['second.test', 'second.test']);
  // Threads that block in the kernel get new limits within a second.
  await until(isTransferred, 'a permitted transfer');
  await until(() => readdirSync(folder).includes('backups') && readdirSync(backups).length > 0);
  const { body } = await daemon.api.call('GET', '/api/v1/plans');
  assert.match(JSON.stringify(body), /"free","max_domains":3/);
});

test('a new limit of DNS responses is in use', async ({ daemon }) => {
  const client = await UdpClient.connect(daemon.dnsPort);
  const limited = async (): Promise<number> => {
    for (let id = 0; id < 20; id++)
      client.send(encodeQuery({ name: parseName('example.com.'), type: TYPE.SOA, class: 1 }, id));
    const text = await (await fetch(`http://127.0.0.1:${daemon.adminPort}/metrics`)).text();
    return Number(/^waypost_dns_dropped_packets_total\{.*rate_limit.*\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  try {
    await until(async () => (await limited()) > 0, 'a dropped response');
  } finally {
    client.close();
  }
});

test('no daemon: the command says so', async () => {
  const { code, output } = await runCommand(['reload'], environment({ WAYPOST_DATA_DIR: join(folder, 'none') }));
  assert.is(code, 1);
  assert.match(output, /No daemon uses the data folder/);
});

test.run();
