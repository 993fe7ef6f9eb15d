/**
 * ACME clients from the order to the certificate (RFC 8555): lego and certbot write their dns-01
 * challenges by dynamic update, lego also by the PowerDNS API. The directory (Pebble) finds them,
 * and they are deleted afterwards.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Run, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { type Directory, startDirectory } from './pebble.ts';

const CERTBOT_PLUGIN = '/usr/lib/python3/dist-packages/certbot_dns_rfc2136';

interface Context {
  daemon: Borrowed;
  directory: Directory;
  secret: string;
}

const test = suite<Context>('ACME clients');

test.before(async (context) => {
  const daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: 'acme.key', algorithm: 'hmac-sha512' });
  const directory = await startDirectory(daemon.dnsPort);
  Object.assign(context, { daemon, directory, secret: String(body.secret) });
});
test.after(async ({ daemon, directory }) => {
  await directory?.stop();
  await daemon?.giveBack();
});

/**
 * Of a zone, what the audit tells of updates: how many records came and went in each, oldest first.
 */
async function updatesOf({ daemon }: Context, zone: string): Promise<string[]> {
  const { body } = await daemon.api.call('GET', `/api/v1/audit?domain=${zone}&limit=100`);
  const entries = body.entries as unknown as { action: string; detail: { added: number; deleted: number } }[];
  return entries
    .filter(({ action }) => action === 'dns.update')
    .map(({ detail }) => `+${detail.added} -${detail.deleted}`)
    .reverse();
}

/** The result of a client that writes by dynamic update. */
async function assertIssued(context: Context, run: Run, file: string, zone: string, names: string[]): Promise<void> {
  await assertCertificate(context, run, file, zone, names);
  const updates = await updatesOf(context, zone);
  assert.equal(updates.toSorted(), ['+0 -1', '+0 -1', '+1 -0', '+1 -0']);
  assert.is(updates[0], '+1 -0');
}

/** The result of any client. */
async function assertCertificate(
  context: Context,
  run: Run,
  file: string,
  zone: string,
  names: string[],
): Promise<void> {
  const printed = (): string => `${run.output}\n${context.directory.output()}\n${context.daemon.output()}`;
  assert.is(run.code, 0, printed());
  assert.ok(existsSync(file), printed());
  const issued = new X509Certificate(readFileSync(file));
  assert.match(issued.issuer, /Pebble Intermediate CA/);
  assert.equal(
    issued.subjectAltName?.split(', ').sort(),
    names.map((name) => `DNS:${name}`),
  );
  const dig = ['@127.0.0.1', '-p', String(context.daemon.dnsPort), '+norecurse', `_acme-challenge.${zone}`, 'TXT'];
  assert.match((await runProgram('dig', dig)).output, /status: NXDOMAIN/, 'challenges are gone');
}

test('lego: a certificate of an apex and its wildcard, whose challenges share a name', async (context) => {
  const { daemon, directory, secret } = context;
  const zone = 'lego.example.net';
  await daemon.api.createDomain(zone);
  const folder = temporaryFolder('lego');
  const server = `127.0.0.1:${daemon.dnsPort}`;
  const options = [
    ...['--server', directory.url, '--accept-tos', '--email', 'hostmaster@example.net', '--path', folder],
    // Its look at all nameservers of the zone by their names would ask the Internet.
    ...['--dns', 'rfc2136', '--dns.resolvers', server, '--dns.disable-cp', '--domains', zone, '--domains', `*.${zone}`],
  ];
  const env = {
    LEGO_CA_CERTIFICATES: directory.authority,
    RFC2136_NAMESERVER: server,
    RFC2136_TSIG_ALGORITHM: 'hmac-sha512.',
    RFC2136_TSIG_KEY: 'acme.key',
    RFC2136_TSIG_SECRET: secret,
    RFC2136_SEQUENCE_INTERVAL: '0',
  };
  const run = await runProgram('lego', [...options, 'run'], env, PATIENCE_MS);
  await assertIssued(context, run, join(folder, 'certificates', `${zone}.crt`), zone, [`*.${zone}`, zone]);
});

test('lego: the same, by the PowerDNS API', async (context) => {
  const { daemon, directory } = context;
  const zone = 'lego-pdns.example.net';
  await daemon.api.createDomain(zone);
  const folder = temporaryFolder('lego-pdns');
  const options = [
    ...['--server', directory.url, '--accept-tos', '--email', 'hostmaster@example.net', '--path', folder],
    ...['--dns', 'pdns', '--dns.resolvers', `127.0.0.1:${daemon.dnsPort}`, '--dns.disable-cp'],
    ...['--domains', zone, '--domains', `*.${zone}`],
  ];
  const env = {
    LEGO_CA_CERTIFICATES: directory.authority,
    PDNS_API_URL: `http://127.0.0.1:${daemon.adminPort}`,
    PDNS_API_KEY: daemon.api.token,
  };
  const run = await runProgram('lego', [...options, 'run'], env, PATIENCE_MS);
  await assertCertificate(context, run, join(folder, 'certificates', `${zone}.crt`), zone, [`*.${zone}`, zone]);
  const { body } = await daemon.api.call('GET', `/api/v1/audit?domain=${zone}&limit=100`);
  const actions = (body.entries as unknown as { action: string }[]).map(({ action }) => action);
  assert.ok(actions.includes('record.batch'));
});

test('certbot: the same, with its plugin dns-rfc2136', async (context) => {
  const { daemon, directory, secret } = context;
  const zone = 'certbot.example.net';
  await daemon.api.createDomain(zone);
  const folder = temporaryFolder('certbot');
  const credentials = join(folder, 'credentials.ini');
  const settings = [
    'server = 127.0.0.1',
    `port = ${daemon.dnsPort}`,
    'name = acme.key',
    `secret = ${secret}`,
    'algorithm = HMAC-SHA512',
    // Its search for the zone is signed, too.
    'sign_query = true',
  ];
  writeFileSync(credentials, settings.map((line) => `dns_rfc2136_${line}\n`).join(''), { mode: 0o600 });
  const options = [
    ...['certonly', '--non-interactive', '--agree-tos', '--register-unsafely-without-email', '--server', directory.url],
    ...['--config-dir', folder, '--work-dir', join(folder, 'work'), '--logs-dir', join(folder, 'logs')],
    ...['--dns-rfc2136', '--dns-rfc2136-credentials', credentials, '--dns-rfc2136-propagation-seconds', '0'],
    ...['--domain', zone, '--domain', `*.${zone}`],
  ];
  const run = await runProgram('certbot', options, { REQUESTS_CA_BUNDLE: directory.authority }, PATIENCE_MS);
  await assertIssued(context, run, join(folder, 'live', zone, 'cert.pem'), zone, [`*.${zone}`, zone]);
});

const why =
  whyNotPrograms('pebble', 'lego', 'certbot', 'dig') ??
  (existsSync(CERTBOT_PLUGIN) ? null : "certbot's plugin dns-rfc2136 is not installed");
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: ACME clients, ${why}`);
