/** `waypost doctor` as a person runs it: before the first start, next to a daemon, and after it. */
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { open, type ZipFile } from 'yauzl';
import type { Finding } from '../../../../../admin-api/cli/doctor/check.ts';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';

const test = suite<{ daemon: Daemon }>('system/admin-api/cli/doctor');
test.before(async (context) => {
  // Nothing answers there, and nothing leaves this machine.
  const nowhere = '127.0.0.1:9';
  context.daemon = await startDaemon({ WAYPOST_EDGE_RESOLVERS: nowhere, WAYPOST_ACME_RESOLVERS: nowhere });
});
test.after(({ daemon }) => daemon.close());

/** What needs no network; the kernel and the clock of the test machine are as they are. */
const GROUPS = ['configuration', 'daemon', 'ports', 'permissions', 'store', 'disk', 'backup', 'delegation'];

interface Report {
  readonly code: number | null;
  readonly findings: readonly Finding[];
}

async function examine(env: NodeJS.ProcessEnv, ...only: string[]): Promise<Report> {
  const { code, output } = await runCommand(['doctor', '--json', '--only', ...only], env);
  const { findings } = JSON.parse(output) as { findings: Finding[] };
  return { code, findings };
}

const of = ({ findings }: Report, id: string): Finding => {
  const found = findings.find((finding) => finding.id === id);
  if (found === undefined) throw new Error(`no finding ${id} in ${JSON.stringify(findings)}`);
  return found;
};

test('reports a healthy daemon, and its faults', async ({ daemon }) => {
  const before = readdirSync(daemon.dataDir);
  const report = await examine(daemon.env, ...GROUPS);
  const errors = report.findings.filter(({ severity }) => severity === 'error');
  assert.equal(errors, []);
  assert.is(report.code, 1, 'the secret key was never exported');
  assert.match(of(report, 'daemon.ready').found, new RegExp(`process ${daemon.child.pid}\\) is ready`));
  assert.match(of(report, 'ports.dns').found, /listens/);
  assert.is(of(report, 'daemon.version').severity, 'ok');
  assert.is(of(report, 'store.format').severity, 'ok');
  assert.match(of(report, 'disk.fsync').found, /a sync takes/);
  assert.is(of(report, 'backup.secret_key').severity, 'warning');
  assert.equal(readdirSync(daemon.dataDir), before, 'it leaves no file behind');

  chmodSync(join(daemon.dataDir, 'secret.key'), 0o644);
  const result = await examine(daemon.env, 'permissions.secret_key');
  chmodSync(join(daemon.dataDir, 'secret.key'), 0o600);
  assert.is(result.code, 2);
  assert.match(of(result, 'permissions.secret_key').fix ?? '', /chmod 600 .*secret\.key/);
});

test('rejects unknown checks, and reports a wrong configuration', async ({ daemon }) => {
  const several = await runCommand(['doctor', '--only', 'disk.space,store', '--skip', 'store.map,'], daemon.env);
  assert.not.match(several.output, /no check or group/);
  assert.is.not(several.code, null);
  const unknown = await runCommand(['doctor', '--only', 'disks'], daemon.env);
  assert.is(unknown.code, 1);
  assert.match(unknown.output, /no check or group "disks"/);
  const misused = await runCommand(['doctor', '--onyl', 'disk'], daemon.env);
  assert.is(misused.code, 2);
  const wrong = await runCommand(['doctor', '--only', 'configuration', 'store'], {
    ...daemon.env,
    WAYPOST_DNS_WORKERS: 'many',
  });
  assert.is(wrong.code, 2);
  assert.match(wrong.output, /^Errors \(1\)\n {2}configuration.valid: .*dns.workers.*found "many"/m);
});

test('the support bundle has no secret and no name of a customer', async ({ daemon }) => {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.createDomain('planted-customer.example');
  const { token = '' } = daemon.api;
  const folder = temporaryFolder('support');
  const [log, file] = [join(folder, 'waypost.log'), join(folder, 'support.zip')];
  const password = 'planted-"password"';
  const key = readFileSync(join(daemon.dataDir, 'secret.key'), 'utf8').trim();
  const cookie = '00112233445566778899aabbccddeeff';
  const secrets = { token, password: ADMIN_PASSWORD, key, cookie, foreign: password };
  writeFileSync(
    log,
    [...Object.values(secrets), 'zone www.planted-customer.example'].map((x) => `WARN ${x}\n`).join(''),
  );
  const env = { ...daemon.env, WAYPOST_TOKEN: token, WAYPOST_DNS_COOKIE_SECRET: cookie, BUCKET_PASSWORD: password };

  const { code, output } = await runCommand(['support-bundle', file, '--log', log], env);
  assert.is(code, 0, output);
  assert.match(output, /\| log.txt \| \d+ \|[\s\S]*written to/);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const entries = await unzip(file);
  assert.equal(
    [...entries.keys()],
    [
      ...['MANIFEST.md', 'build.json', 'configuration.json', 'doctor.json', 'status.json', 'metrics.txt', 'store.json'],
      ...['cluster.json', 'system.txt', 'packages.txt', 'log.txt'],
    ],
  );
  for (const [name, content] of entries) {
    for (const [kind, value] of Object.entries(secrets)) assert.not(content.includes(value), `${name} has ${kind}`);
    assert.not.match(content, /planted-customer/, name);
  }
  assert.match(entries.get('metrics.txt')!, /^waypost_build_info/m);
  assert.is(JSON.parse(entries.get('status.json')!).ok, true);
  assert.is(JSON.parse(entries.get('store.json')!).tables.domains, 1);
  assert.match(entries.get('log.txt')!, /zone \(name \d+\)/);

  const again = await runCommand(['support-bundle', file, '--log', log], env);
  assert.is(again.code, 1);
  assert.match(again.output, /support.zip exists already/);
  const misused = await runCommand(['support-bundle', '--lines', '0'], env);
  assert.is(misused.code, 2);
  const named = await runCommand(['support-bundle', '--dry-run', '--json', '--with-names', '--log', log], env);
  assert.is(JSON.parse(named.output).file, null);
  removeFolder(folder);
});

async function unzip(file: string): Promise<Map<string, string>> {
  const archive = await new Promise<ZipFile>((resolve, reject) =>
    open(file, { lazyEntries: true, autoClose: true }, (error, zip) => (error ? reject(error) : resolve(zip))),
  );
  const entries = new Map<string, string>();
  archive.readEntry();
  archive.on('entry', (entry) =>
    archive.openReadStream(entry, async (error, stream) => {
      if (error) throw error;
      entries.set(entry.fileName, await text(stream));
      archive.readEntry();
    }),
  );
  await once(archive, 'end');
  return entries;
}

test('names the program on a port of a daemon that is stopped', async ({ daemon }) => {
  await daemon.stop();
  const other = createServer((socket) => socket.destroy()).listen(daemon.adminPort, '127.0.0.1');
  await new Promise((resolve) => other.on('listening', resolve));
  const taken = await examine(daemon.env, 'daemon', 'ports', 'store');
  await new Promise((resolve) => other.close(resolve));
  assert.is(taken.code, 2);
  assert.match(of(taken, 'ports.admin').found, new RegExp(`in use by .* \\(process ${process.pid}\\)`));
  assert.match(of(taken, 'ports.dns').found, /free/);
  assert.is(of(taken, 'daemon.ready').severity, 'note');
  assert.is(of(taken, 'store.format').severity, 'ok');

  const dataDir = join(daemon.dataDir, 'new');
  const first = await examine({ ...daemon.env, WAYPOST_DATA_DIR: dataDir }, ...GROUPS);
  assert.equal(
    first.findings.filter(({ severity }) => severity === 'error'),
    [],
  );
  assert.not(existsSync(dataDir));
});

test.run();
