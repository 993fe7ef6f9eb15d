/**
 * Steering with a real daemon: dig with client subnets, a country file, and answers whose origins
 * stop and come back.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../../support/daemon.ts';
import { writeMmdb } from '../../../support/mmdb.ts';
import { freePort } from '../../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { removeFolder } from '../../../support/temp.ts';
import { untilIs } from '../../../support/until.ts';

interface Context {
  daemon: Daemon;
  folder: string;
  path: string;
}

const test = suite<Context>('steering');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'waypost-steering-'));
  const file = join(context.folder, 'countries.mmdb');
  const place = (country: string, continent: string) => ({
    country: { iso_code: country },
    continent: { code: continent },
  });
  writeFileSync(file, writeMmdb({ '5.0.0.0/8': place('DE', 'EU'), '2a00::/16': place('FR', 'EU') }));
  context.daemon = await startDaemon({
    WAYPOST_EDGE_COUNTRY_FILE: file,
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_PEER_REGION: 'east',
    WAYPOST_DNS_DOH: 'true',
  });
  const { api } = context.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  context.path = `/api/v1/domains/${await api.createDomain('steered.test')}`;
});
test.after(async ({ daemon, folder }) => {
  await daemon?.close();
  removeFolder(folder);
});

/** The answers and the client subnet of the response, as dig prints them. */
async function dig({ dnsPort }: Daemon, name: string, ...options: readonly string[]) {
  const args = ['@127.0.0.1', '-p', `${dnsPort}`, `${name}.steered.test`, ...options];
  const { output } = await runProgram('dig', args);
  const subnet = /CLIENT-SUBNET: (\S+)/.exec(output)?.[1] ?? null;
  const answers = [...output.matchAll(/^\S+\.steered\.test\.\s+\d+\s+IN\s+\S+\s+(\S+)$/gm)].map(([, rdata]) => rdata);
  return { answers, subnet };
}

const pool = (name: string, content: string, health: object | null = null) => ({
  name,
  answers: [{ content }],
  health: health as never,
});

test('dig gets the answer of its subnet, over UDP and TCP, with the scope', async ({ daemon, path }) => {
  await daemon.api.call('PUT', `${path}/steering/www/A`, {
    pools: [pool('eu', '192.0.2.1'), pool('east', '192.0.2.2'), pool('office', '10.0.0.1')],
    rules: [
      { match: { network: '198.51.100.0/24' }, pool: 'office' },
      { match: { continent: 'EU' }, pool: 'eu' },
      { match: { region: 'east' }, pool: 'east' },
    ],
    fallback: ['eu'],
  });
  for (const transport of ['+notcp', '+tcp'])
    for (const [option, expected] of [
      ['+subnet=5.6.7.0/24', { answers: ['192.0.2.1'], subnet: '5.6.7.0/24/8' }],
      ['+subnet=2a00:1::/48', { answers: ['192.0.2.1'], subnet: '2a00:1::/48/16' }],
      ['+subnet=198.51.100.0/24', { answers: ['10.0.0.1'], subnet: '198.51.100.0/24/24' }],
      ['+subnet=198.51.0.0/16', { answers: ['192.0.2.2'], subnet: '198.51.0.0/16/18' }],
      ['+subnet=0', { answers: ['192.0.2.2'], subnet: '0.0.0.0/0/0' }],
      ['+nosubnet', { answers: ['192.0.2.2'], subnet: null }],
    ] as const)
      assert.equal(await dig(daemon, 'www', option, transport), expected, `${option} ${transport}`);
});

test('a response over HTTPS that depends on the client must not be shared', async ({ daemon, path }) => {
  await daemon.api.call('POST', `${path}/records`, { name: 'plain', type: 'A', content: '192.0.2.7' });
  const ask = async (name: string): Promise<string | null> => {
    const labels = `${name}.steered.test`.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
    const query = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]).toString('base64url');
    const response = await fetch(`http://127.0.0.1:${daemon.adminPort}/dns-query?dns=${query}`, {
      headers: { accept: 'application/dns-message' },
    });
    assert.is(response.status, 200);
    await response.arrayBuffer();
    return response.headers.get('cache-control');
  };
  assert.match(String(await ask('www')), /private/);
  assert.not.match(String(await ask('plain')), /private/);
});

function listen(address: string, port: number, status: () => number): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(status()).end());
  return new Promise((done) => server.listen(port, address, () => done(server)));
}
const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

test('an answer whose origin stops is left out until it is back; a new check keeps to its own state', async ({
  daemon,
  path,
}) => {
  const port = await freePort();
  let first = await listen('127.0.0.1', port, () => 200);
  const second = await listen('127.0.0.2', port, () => 200);
  const health = { type: 'http', port, path: '/', interval: 10, timeout: 2, rise: 1, fall: 1 };
  await daemon.api.call('PUT', `${path}/steering/app/A`, {
    ttl: 30,
    pools: [pool('main', '127.0.0.1', health), pool('spare', '127.0.0.2', { ...health, type: 'tcp' })],
    fallback: ['main', 'spare'],
  });
  const states = async () => {
    const { body } = await daemon.api.call('GET', `${path}/steering/app/A`);
    return (body.health as { content: string; is_up: boolean | null }[]).map(({ is_up }) => is_up);
  };
  await untilIs(states, [true, true]);
  const served = async () => (await dig(daemon, 'app')).answers;
  assert.equal(await served(), ['127.0.0.1']);
  await close(first);
  await untilIs(served, ['127.0.0.2'], 'the first has stopped');
  assert.equal(await states(), [false, true]);
  const { body } = await daemon.api.call('POST', `${path}/steering/test`, { client: '127.0.0.1', name: 'app' });
  assert.equal((body.results as { pool: string }[])[0].pool, 'spare');
  first = await listen('127.0.0.1', port, () => 200);
  await untilIs(served, ['127.0.0.1'], 'the first is back');
  await close(first);
  await close(second);
});

test('an account has a bounded number of checked answers, in all its domains together', async ({ daemon }) => {
  const health = { type: 'tcp' };
  const answers = (set: number) => Array.from({ length: 32 }, (_, i) => ({ content: `192.0.2.${32 * set + i}` }));
  const pools = [0, 1].map((i) => ({ name: `p${i}`, answers: answers(i), health }));
  const { api } = daemon;
  const outcomes: number[] = [];
  for (let domain = 0; !outcomes.includes(409) && domain < 17; domain++) {
    const path = `/api/v1/domains/${await api.createDomain(`checked${domain}.test`)}`;
    for (let set = 0; set < 4; set++)
      outcomes.push((await api.request('PUT', `${path}/steering/c${set}/A`, { pools })).status);
  }
  // The test above has two checked answers.
  assert.equal(outcomes, [...new Array<number>(63).fill(200), 409]);
});

test('steering outlasts a restart, and the records of a set are what transfers have', async ({ daemon, path }) => {
  await daemon.stop();
  await daemon.start();
  assert.equal((await dig(daemon, 'www', '+subnet=5.6.7.0/24')).answers, ['192.0.2.1']);
  const { text } = await daemon.api.call('GET', `${path}/zonefile`);
  assert.match(text, /www\s+60\s+IN\s+A\s+192\.0\.2\.1/);
  assert.not.match(text, /10\.0\.0\.1/);
});

test('HTTPS checks trust the authorities of edge.origin_ca_file, as a reload finds them', async ({ folder }) => {
  const [config, roots] = [join(folder, 'waypost.toml'), join(folder, 'roots.pem')];
  const settings = '[edge]\nallow_private_origins = ["127.0.0.0/8"]\n';
  writeFileSync(config, settings);
  const authority = { name: 'authority', key: ecKey() };
  const key = ecKey();
  const cert = certificate({ name: 'app.tls.test', key, issuer: authority, dnsNames: ['app.tls.test'] });
  const server = createTlsServer({ key: pemOfKey(key), cert }, (_, response) => response.end());
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const daemon = await startDaemon({ WAYPOST_CONFIG: config });
  try {
    const { api, env } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const path = `/api/v1/domains/${await api.createDomain('tls.test')}/steering/app/A`;
    const health = { type: 'https', port, path: '/', interval: 10, timeout: 5, rise: 1, fall: 1 };
    await api.call('PUT', path, { ttl: 30, pools: [pool('main', '127.0.0.1', health)], fallback: ['main'] });
    const isUp = async (): Promise<boolean | null> =>
      ((await api.call('GET', path)).body.health as { is_up: boolean | null }[])[0].is_up;
    const reload = async (): Promise<void> => {
      const { code, output } = await runCommand(['reload'], env);
      assert.is(code, 0, output);
    };
    await untilIs(isUp, false);
    writeFileSync(roots, certificate({ ...authority, ca: true }));
    writeFileSync(config, `${settings}origin_ca_file = "${roots}"\n`);
    await reload();
    await untilIs(isUp, true, 'the setting has changed');
    writeFileSync(roots, certificate({ name: 'other', key: ecKey(), ca: true }));
    await reload();
    await untilIs(isUp, false, 'the file has changed');
  } finally {
    await daemon.close();
    server.closeAllConnections();
    server.close();
  }
});

const missing = whyNotPrograms('dig');
if (missing === null) test.run();
else console.log(`skipped: steering, ${missing}`);
