/**
 * systemd/waypost.service under a real systemd, which is booted in namespaces of its own: the
 * service starts with all restrictions, and is started again when it is killed or hangs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inheritedEnvironment } from '../support/inherited-environment.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { without } from './optional.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SYSTEMD = '/lib/systemd/systemd';
const NAMESPACES = ['--fork', '--pid', '--mount', '--ipc', '--uts', '--net', '--cgroup', '--kill-child'];
/** CAP_NET_BIND_SERVICE. */
const ONLY_LOW_PORTS = '0000000000000400';

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return without('root');
  if (!existsSync(SYSTEMD)) return without('systemd');
  const { status, stderr } = spawnSync('unshare', [...NAMESPACES, 'true'], { encoding: 'utf8' });
  return status === 0 ? null : `${without('network namespaces')}: ${stderr.trim()}`;
}

/** A process of this machine whose parent is `parent`. */
function childOf(parent: number): number {
  const { stdout } = spawnSync('pgrep', ['-P', String(parent)], { encoding: 'utf8' });
  const pid = Number(stdout.trim().split('\n')[0]);
  if (!(pid > 0)) throw new Error(`process ${parent} has no child`);
  return pid;
}

const reason = whyNot();
const whyNoEtcd = whyNotPrograms('etcd');
if (reason !== null) console.log(`skipped: the unit under systemd: ${reason}`);
else
  test('the unit starts with its restrictions, and again after a crash and a hang', async () => {
    const folder = temporaryFolder('systemd');
    const script = join(ROOT, 'test/release/boot-systemd.sh');
    const command = [...NAMESPACES, script, ROOT, realpathSync(process.execPath), folder];
    const unshare = spawn('unshare', command, { stdio: 'ignore' });
    const inside = (...words: string[]): string => {
      const systemd = childOf(unshare.pid ?? 0);
      const { stdout, stderr } = spawnSync('nsenter', ['-t', String(systemd), '-m', '-p', '-n', '-r', ...words], {
        encoding: 'utf8',
        env: inheritedEnvironment(),
      });
      return stdout + stderr;
    };
    const show = (name: string, unit = 'waypost'): string => inside('systemctl', 'show', unit, '-P', name).trim();
    const untilServing = (restarts: string): Promise<void> =>
      untilPasses(() => {
        assert.is(show('NRestarts'), restarts);
        const state = `${show('ActiveState')} ${show('StatusText')}`;
        assert.is(state, 'active serving', inside('journalctl', '-u', 'waypost', '-n', '20', '--no-pager'));
      });
    try {
      await untilServing('0');
      const status = inside('cat', `/proc/${show('MainPID')}/status`);
      const field = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
      assert.equal([field('Seccomp'), field('NoNewPrivs')], ['2', '1']);
      assert.equal([field('CapEff'), field('CapBnd')], [ONLY_LOW_PORTS, ONLY_LOW_PORTS]);
      assert.not.match(field('Uid'), /^0\b/);
      assert.match(inside('cat', `/proc/${show('MainPID')}/limits`), /Max core file size\s+0\s+0/);
      // Nothing that the service can write can be run.
      for (const path of ['/var/lib/waypost', '/tmp', '/var/tmp']) {
        const run = `cp /bin/true ${path}/program && ${path}/program; echo $?`;
        assert.match(inside('nsenter', '-t', show('MainPID'), '-m', '-r', '/bin/sh', '-c', run), /^126$/m, path);
      }
      const answer = inside('dig', '@127.0.0.1', '+tries=1', 'example.com', 'SOA');
      assert.match(answer, /status: REFUSED/, answer);
      assert.match(inside('curl', '-s', 'http://127.0.0.1:8300/readyz'), /"ok":true/);

      inside('systemctl', 'kill', '-s', 'SIGKILL', 'waypost');
      await untilServing('1');

      // A hang: the watchdog ends it.
      inside('systemctl', 'kill', '-s', 'SIGSTOP', 'waypost');
      await untilServing('2');
      assert.match(inside('journalctl', '-u', 'waypost', '--no-pager'), /Watchdog timeout/);

      // The fourth start waits, and systemd waits for it.
      inside('systemctl', 'kill', '-s', 'SIGKILL', 'waypost');
      await untilServing('3');
      assert.match(inside('journalctl', '-u', 'waypost', '--no-pager'), /previous starts failed; delaying this start/);

      inside('systemctl', 'stop', 'waypost');
      assert.equal([show('ActiveState'), show('Result')], ['inactive', 'success']);
      if (whyNoEtcd !== null) {
        console.log(`skipped: the unit of etcd: ${whyNoEtcd}`);
        return;
      }
      const settings = ['WAYPOST_CONFIG=/etc/waypost/waypost.toml', 'WAYPOST_DATA_DIR=/var/lib/waypost'];
      const init = ['cluster', 'init', '--host', '127.0.0.1', '--etcd', 'https://127.0.0.1:2379'];
      const initialize = (): string => inside('env', ...settings, 'node', '/usr/lib/waypost/dist/main.js', ...init);
      const output = initialize();
      inside('sh', '-c', 'cp -r /var/lib/private/waypost/cluster /etc/waypost/etcd; chmod -R a+rX /etc/waypost/etcd');
      inside('systemctl', 'start', 'waypost-etcd');
      const log = inside('journalctl', '-u', 'waypost-etcd', '-n', '20', '--no-pager');
      assert.is(show('ActiveState', 'waypost-etcd'), 'active', output + log);
      assert.match(inside('cat', `/proc/${show('MainPID', 'waypost-etcd')}/status`), /^Seccomp:\s+2$/m);
      initialize();
      inside('systemctl', 'start', 'waypost');
      await untilPasses(
        () =>
          assert.match(
            show('StatusText'),
            /^serving; in the cluster: /,
            inside('journalctl', '-u', 'waypost', '-n', '60', '--no-pager'),
          ),
        20_000,
      );
    } finally {
      unshare.kill('SIGKILL');
      await sleep(200);
      removeFolder(folder);
    }
  });

test.run();
