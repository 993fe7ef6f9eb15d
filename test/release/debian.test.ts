/** The artefacts of `npm run release`, built twice, and the Debian package on a clean machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NODE } from '../../config/build/release/node.ts';
import { BUILDER, type ReleaseTarget, TARGETS, uwsBinary } from '../../config/build/release/targets.ts';
import { Machine, whyNoMachine } from './machine.ts';
import { whyNotOptional } from './optional.ts';

const RELEASE = join(import.meta.dirname, '../../config/build/release.js');
const NEXT = '0.9.0';
const READY_MS = 120_000;
const PACKAGE_BYTES = 512 << 20;
const METRICS = 'http://127.0.0.1:8300/metrics';
const LIBRARY = '/usr/lib/waypost';
const UWS_BINARY = `${LIBRARY}/${uwsBinary(BUILDER)}`;
/** Field e_machine of an ELF file (elf.h). */
const MACHINE: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

const work = mkdtempSync(join(tmpdir(), 'waypost-test-release-'));
const key = join(work, 'key');
test.before(() => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', key]);
});
test.after(() => rmSync(work, { recursive: true, force: true }));

/** Builds into a folder of that name; its path. */
function release(name: string, ...more: readonly string[]): string {
  const out = join(work, name);
  mkdirSync(out);
  const env = { ...process.env, RELEASE_KEY: key };
  execFileSync(process.execPath, [RELEASE, '--out', out, ...more], { stdio: 'pipe', env });
  return out;
}

const packageIn = (folder: string, { debian }: ReleaseTarget = BUILDER): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith(`_${debian}.deb`))!);

/** A field of the package, such as Version. */
const fieldOf = (file: string, name: string): string =>
  execFileSync('dpkg-deb', ['--field', file, name], { encoding: 'utf8' }).trim();

/** Resolves when the service answers DNS. */
async function untilAnswers(machine: Machine): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ; await sleep(100)) {
    const { code, output } = machine.run('dig', '@127.0.0.1', 'example.com', 'SOA', '+tries=1', '+time=2');
    if (code === 0 && /status: /.test(output)) return;
    if (Date.now() > deadline) throw new Error(machine.run('journalctl', '--no-pager', '-u', 'waypost').output);
  }
}

/** The token of a new API key, by the password that the first start printed. */
function logIn(machine: Machine): string {
  const journal = machine.do('journalctl', '--no-pager', '--output=cat', '-u', 'waypost');
  const password = /has the password\s+(\S+)/.exec(journal)![1];
  const body = JSON.stringify({ login: 'admin', password, name: 'release' });
  const answer = machine.do(
    'curl',
    '-s',
    'http://127.0.0.1:8300/api/v1/auth/token',
    '-H',
    'content-type: application/json',
    '-d',
    body,
  );
  return (JSON.parse(answer) as { token: string }).token;
}

function call(machine: Machine, token: string, path: string, body: object): Record<string, unknown> {
  const fields = ['-H', 'content-type: application/json', '-H', `authorization: Bearer ${token}`];
  return JSON.parse(
    machine.do('curl', '-s', `http://127.0.0.1:8300/api/v1${path}`, ...fields, '-d', JSON.stringify(body)),
  );
}

const addressOf = (machine: Machine): string =>
  machine.do('dig', '@127.0.0.1', 'www.example.com', 'A', '+short', '+tries=1', '+time=2').trim();

/** The builds take minutes, in which there may be another. */
const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim();

const why = whyNoMachine() ?? whyNotOptional('lintian', 'aarch64-linux-gnu-strip');
if (why !== null) {
  console.log(`skipped: ${why}`);
  test.skip('the Debian package', () => {});
} else {
  test('the same commit gives the same bytes, with their sums and a bill of materials', () => {
    const [first, second] = [release('first'), release('second')];
    const names = readdirSync(first).sort();
    assert.equal(readdirSync(second).sort(), names);
    for (const name of names) assert.ok(readFileSync(join(first, name)).equals(readFileSync(join(second, name))), name);
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first, stdio: 'pipe' });
    assert.ok(names.includes('SHA256SUMS.sig'));
    assert.is(new Set(names.map((name) => name.replace(/(?:amd|arm|x)64/, ''))).size, names.length - 2, 'two machines');
    const bom = JSON.parse(readFileSync(join(first, names.find((name) => name.endsWith('.cdx.json'))!), 'utf8')) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string }[];
    };
    assert.equal([bom.bomFormat, bom.metadata.component.name], ['CycloneDX', 'waypost']);
    const components = new Set(bom.components.map(({ name }) => name));
    // Copied, packed into the daemon, packed into the dashboard; neither other systems nor tests.
    // npm names an alias by its folder.
    for (const name of ['node', 'lmdb', 'undici', 'uWebSockets.js', 'preact']) assert.ok(components.has(name), name);
    for (const name of ['@lmdb/lmdb-darwin-arm64', 'fast-check']) assert.not.ok(components.has(name), name);
    const listing = execFileSync('dpkg-deb', ['--fsys-tarfile', packageIn(first)], { maxBuffer: PACKAGE_BYTES });
    const licences = gunzipSync(
      execFileSync('tar', ['--extract', '--to-stdout', './usr/share/doc/waypost/licences.gz'], { input: listing }),
    ).toString();
    for (const name of ['Node.js', 'ajv', 'otpauth', 'preact', 'lmdb', 'uws-pack'])
      assert.match(licences, new RegExp(`(?:^|, )${name} \\d`, 'm'), name);
    // Of what the binary of uWebSockets.js is built from.
    for (const name of ['BoringSSL', 'Alex Hultman', 'LiteSpeed Technologies', 'Yann Collet'])
      assert.match(licences, name);
  });

  test('the version of a package is that of its tag, or has the time and the hash of the commit', () => {
    const version = fieldOf(packageIn(join(work, 'first')), 'Version');
    assert.match(version, new RegExp(`^\\d+\\.\\d+\\.\\d+(?:~dev\\.\\d{14}\\.g${commit})?$`));
  });

  for (const target of TARGETS)
    test(`native code of the package for ${target.debian} is for its system, processor and Node alone`, () => {
      const file = packageIn(join(work, 'first'), target);
      console.log(`package: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
      assert.is(fieldOf(file, 'Architecture'), target.debian);
      const folder = join(work, `contents-${target.debian}`);
      execFileSync('dpkg-deb', ['--extract', file, folder]);
      const library = join(folder, LIBRARY);
      const paths = (readdirSync(library, { recursive: true }) as string[]).filter((path) => path.endsWith('.node'));
      assert.equal(
        paths.filter((path) => path.includes('uws_')),
        [uwsBinary(target)],
      );
      for (const name of ['lmdb', 'koffi', 'argon2'])
        assert.ok(
          paths.some((path) => path.includes(name)),
          name,
        );
      assert.equal(
        paths.filter((path) => /musl|darwin|win32/.test(path)),
        [],
      );
      for (const [, abi] of paths.join('\n').matchAll(/\.abi(\d+)\./g)) assert.is(abi, NODE.abi);
      for (const path of [...paths, 'bin/node']) {
        const head = readFileSync(join(library, path)).subarray(0, 20);
        assert.is(head.toString('latin1', 1, 4), 'ELF', path);
        assert.is(head.readUInt16LE(18), MACHINE[target.cpu], path);
        if (path.endsWith('.node')) assert.is(statSync(join(library, path)).mode & 0o777, 0o644, path);
      }
      assert.is(statSync(join(library, 'bin/node')).mode & 0o777, 0o755);
    });

  test('shells find the completions of the package', () => {
    for (const { debian } of TARGETS)
      for (const [path, start] of [
        ['bash-completion/completions/waypost', '# bash completion for waypost'],
        ['zsh/vendor-completions/_waypost', '#compdef waypost'],
        ['fish/vendor_completions.d/waypost.fish', '# fish completion for waypost'],
      ])
        assert.ok(
          readFileSync(join(work, `contents-${debian}`, 'usr/share', path), 'utf8').startsWith(`${start}\n`),
          path,
        );
  });

  test('the packages differ in native code and in what lists it', () => {
    const [own, other] = TARGETS.map(({ debian }) => join(work, `contents-${debian}`));
    const { stdout } = spawnSync('diff', ['--recursive', '--brief', own, other], { encoding: 'utf8' });
    const differences = stdout.trim().split('\n');
    assert.ok(differences.length > 0);
    for (const line of differences)
      assert.match(line, /\.node\b|bin\/node\b|(?:linux-|linux_)(?:x64|arm64)|licences\.gz|glibc/);
  });

  test('a release replaces no folder with other files', () => {
    const out = join(work, 'other');
    mkdirSync(out);
    writeFileSync(join(out, 'letter.txt'), 'kept');
    assert.throws(() => execFileSync(process.execPath, [RELEASE, '--out', out], { stdio: 'pipe' }), /empty folder/);
    assert.equal(readdirSync(out), ['letter.txt']);
  });

  test('lintian finds no error in the packages', () => {
    for (const target of TARGETS)
      execFileSync('lintian', ['--fail-on', 'error', packageIn(join(work, 'first'), target)], { stdio: 'pipe' });
  });

  test('installed, upgraded, removed, installed again and purged on a clean machine', async () => {
    const next = packageIn(release('next', '--version', NEXT));
    const current = packageIn(join(work, 'first'));
    const machine = await Machine.boot();
    try {
      machine.copy(current, next);
      const [currentFile, nextFile] = [current, next].map((file) => `/root/${file.split('/').at(-1)}`);

      // 1. From one file to the first answer.
      const began = performance.now();
      machine.do('dpkg', '--install', currentFile);
      await untilAnswers(machine);
      console.log(`install to the first answer: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      assert.match(machine.do('systemctl', 'is-enabled', 'waypost'), 'enabled');
      assert.match(machine.do('stat', '--format=%U %a', '/var/lib/waypost'), 'waypost 700');
      const pid = machine.do('systemctl', 'show', '--property=MainPID', '--value', 'waypost').trim();
      assert.is(machine.do('ps', '-o', 'user=', '-p', pid).trim(), 'waypost');
      const version = machine.do('waypost', '--version');
      assert.match(version, /^waypost \d+\.\d+\.\d+(?:-dev)? \(commit [0-9a-f]{12}, /);
      assert.match(version, `\nNode ${NODE.version}, OpenSSL 3.`);
      assert.match(version, ', API: uWebSockets.js\n');
      assert.match(machine.do('curl', '-s', METRICS), '\nwaypost_api_transport{transport="uws"} 1\n');
      // A purge can only ask what debconf has from the installation.
      assert.match(machine.do('debconf-show', 'waypost'), /waypost\/delete_data: false/);
      assert.not.match(machine.do('systemctl', 'cat', 'waypost-etcd'), 'LoadCredential=ca.pem:/var/lib/private/');

      // Without the binary the service runs as well, and says what it does.
      machine.do('mv', UWS_BINARY, '/root/');
      machine.do('systemctl', 'restart', 'waypost');
      await untilAnswers(machine);
      assert.match(machine.do('curl', '-s', METRICS), '\nwaypost_api_transport{transport="node"} 1\n');
      const journal = machine.do('journalctl', '--no-pager', '-u', 'waypost');
      assert.match(journal, 'the API is served by node:http, which is slower');
      assert.match(machine.run('waypost', 'doctor', '--only', 'daemon.transport').output, 'is served by node:http: ');
      machine.do('mv', `/root/${UWS_BINARY.split('/').at(-1)}`, UWS_BINARY);
      machine.do('systemctl', 'restart', 'waypost');
      await untilAnswers(machine);
      const found = machine.do('waypost', 'doctor', '--only', 'daemon.transport', '--verbose');
      assert.match(found, 'the API is served by uWebSockets.js');

      // 2. Rows and a changed configuration.
      const token = logIn(machine);
      const { domain } = call(machine, token, '/domains', { domain: 'example.com' }) as { domain: { id: number } };
      const record = { name: 'www', type: 'A', content: '192.0.2.1', ttl: 300 };
      call(machine, token, `/domains/${domain.id}/records`, record);
      assert.is(addressOf(machine), '192.0.2.1');
      machine.do('sh', '-c', 'printf "\\n[soa]\\nhostmaster = \\"dns@example.com\\"\\n" >> /etc/waypost/waypost.toml');

      // 3. An upgrade keeps both, and restarts the service.
      machine.do('dpkg', '--install', nextFile);
      await untilAnswers(machine);
      assert.match(machine.do('dpkg', '--status', 'waypost'), `Version: ${NEXT}`);
      assert.is.not(machine.do('systemctl', 'show', '--property=MainPID', '--value', 'waypost').trim(), pid);
      assert.is(addressOf(machine), '192.0.2.1');
      assert.match(machine.do('cat', '/etc/waypost/waypost.toml'), 'dns@example.com');
      assert.match(machine.do('dig', '@127.0.0.1', 'example.com', 'SOA', '+short'), 'dns.example.com.');

      // 4. An upgrade with a configuration that is wrong: the running service goes on.
      machine.do('sh', '-c', 'echo "wrong = [" >> /etc/waypost/waypost.toml');
      assert.match(machine.do('dpkg', '--install', currentFile), 'The configuration is not valid');
      assert.is(addressOf(machine), '192.0.2.1');
      machine.do('sed', '-i', '$d', '/etc/waypost/waypost.toml');
      // The check has the variables of the service, and the rights of its user.
      machine.do('sh', '-c', 'echo "WAYPOST_DNS_WORKERS=many" > /etc/waypost/environment');
      assert.match(machine.do('dpkg', '--install', currentFile), 'WAYPOST_DNS_WORKERS');
      machine.do('rm', '/etc/waypost/environment');
      machine.do('chmod', '600', '/etc/waypost/waypost.toml');
      assert.match(machine.do('dpkg', '--install', currentFile), 'The configuration is not valid');
      machine.do('chmod', '644', '/etc/waypost/waypost.toml');
      assert.is(addressOf(machine), '192.0.2.1');
      machine.do('systemctl', 'restart', 'waypost');
      await untilAnswers(machine);

      // 5. Removed: the service ends; data and configuration stay for the next installation.
      machine.do('dpkg', '--remove', 'waypost');
      assert.is.not(machine.run('systemctl', 'is-active', 'waypost').code, 0);
      machine.do('test', '-e', '/var/lib/waypost/waypost.mdb');
      machine.do('dpkg', '--install', nextFile);
      await untilAnswers(machine);
      assert.is(addressOf(machine), '192.0.2.1');

      // 6. The data of an installation from source, whose user exists only while it runs.
      machine.do('dpkg', '--remove', 'waypost');
      const move = 'mkdir -m 700 -p /var/lib/private && mv /var/lib/waypost /var/lib/private/waypost';
      const link = 'ln -s private/waypost /var/lib/waypost && chown -R 64999:64999 /var/lib/private/waypost';
      machine.do('sh', '-c', `${move} && ${link}`);
      machine.do('dpkg', '--install', nextFile);
      await untilAnswers(machine);
      assert.is(addressOf(machine), '192.0.2.1');
      assert.is(machine.do('stat', '--format=%F %U', '/var/lib/waypost').trim(), 'directory waypost');
      assert.is(machine.do('find', '/var/lib/waypost', '!', '-user', 'waypost'), '');

      // 7. Purged: the data goes only if the operator says so.
      machine.do('dpkg', '--purge', 'waypost');
      machine.do('test', '-e', '/var/lib/waypost/waypost.mdb');
      machine.do('dpkg', '--install', nextFile);
      machine.do('sh', '-c', 'echo "waypost waypost/delete_data boolean true" | debconf-set-selections');
      machine.do('dpkg', '--purge', 'waypost');
      assert.is.not(machine.run('test', '-e', '/var/lib/waypost').code, 0);
      assert.is.not(machine.run('test', '-e', '/etc/waypost').code, 0);
    } finally {
      await machine.remove();
    }
  });
}

test.run();
