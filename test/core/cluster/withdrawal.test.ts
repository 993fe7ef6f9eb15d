/** A node that takes itself out of the way and comes back, by commands. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import type { TaskClock } from '../../../core/base/tasks.ts';
import { runCommand } from '../../../core/cluster/command.ts';
import type { Standing } from '../../../core/cluster/lag.ts';
import { openWithdrawal, Withdrawal } from '../../../core/cluster/withdrawal.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const FOLLOWING: Standing = {
  state: 'following',
  lagEntries: 0,
  lagSeconds: 0.5,
  etcdSeconds: 0.5,
  agreedLevel: 1,
  etcd: null,
  damagedValues: 0,
  pending: [],
};

/** A second takes 20 milliseconds. */
const FAST: TaskClock = {
  date: () => Date.now(),
  steady: () => performance.now() * 50,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds / 50);
    return () => clearTimeout(timer);
  },
};

function rig(script: string, settings: object = {}) {
  const folder = temporaryFolder('withdrawal');
  const program = join(folder, 'anycast');
  writeFileSync(program, `#!/bin/sh\n${script.replaceAll('OUT', join(folder, 'out'))}\n`, { mode: 0o700 });
  const now = { standing: FOLLOWING as Standing };
  const lines: string[] = [];
  const tasks = singleNodeTasks(FAST);
  const withdrawal = new Withdrawal({
    settings: {
      ...{ maxLag: 60, commandTimeout: 5000 },
      ...{ withdrawCommand: [program, 'with draw'], announceCommand: [program, '$HOME'] },
      ...settings,
    },
    nodeName: 'node-1',
    tasks,
    log: createLogger({ level: 'info', format: 'json', write: (line) => void lines.push(line) }),
    standing: () => now.standing,
  });
  /** Whole lines: the shell makes the file before it writes. */
  const ran = (): string[] => {
    try {
      return readFileSync(join(folder, 'out'), 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const untilSeen = (condition: () => boolean, what: string): Promise<void> =>
    until(condition, () => `${what}\n${ran().join('\n')}\n${lines.join('')}`);
  const stop = (): Promise<void> => withdrawal.stop();
  const remove = (): void => removeFolder(folder);
  const close = async (): Promise<void> => {
    await stop();
    remove();
  };
  return { now, lines, ran, untilSeen, stop, remove, close };
}

test('announces when caught up, withdraws past the maximum lag, announces again; once each, without a shell', async () => {
  const { now, ran, untilSeen, lines, close } = rig(
    'echo "$ACTION $NODE_NAME $STATE $LAG_ENTRIES $LAG_SECONDS $1" >>OUT; echo done',
  );
  try {
    await untilSeen(() => ran().length === 1, 'announced');
    now.standing = { ...FOLLOWING, lagSeconds: 59 };
    await sleep(100);
    now.standing = { ...FOLLOWING, state: 'cut_off', lagEntries: 7, lagSeconds: 61.4 };
    await untilSeen(() => ran().length === 2, 'withdrawn');
    now.standing = { ...FOLLOWING, state: 'catching_up', lagSeconds: 40 };
    await sleep(100);
    now.standing = FOLLOWING;
    await untilSeen(() => ran().length === 3, 'announced again');
    await sleep(100);
    assert.equal(ran(), [
      'announce node-1 following 0 1 $HOME',
      'withdraw node-1 cut_off 7 61 with draw',
      'announce node-1 following 0 1 $HOME',
    ]);
    await untilSeen(() => lines.length === 3, 'logged');
    assert.match(lines[1], /cluster\.withdraw_command succeeded.*"output":"done"/);
  } finally {
    await close();
  }
});

test('a failed command is retried, one at a time; its output is in the log', async () => {
  const { ran, untilSeen, lines, close } = rig(
    'echo try >>OUT; [ $(wc -l <OUT) -ge 2 ] || { echo no route >&2; exit 3; }',
  );
  try {
    await untilSeen(() => lines.length === 2, 'failed, then done');
    assert.is(ran().length, 2);
    assert.match(lines[0], /cluster\.announce_command failed; retrying.*"output":"no route".*"reason":"exit status 3"/);
    assert.match(lines[1], /succeeded/);
  } finally {
    await close();
  }
});

test('with only one command configured, the missing one is logged, and nothing is run', async () => {
  const { now, ran, untilSeen, lines, close } = rig('echo "$ACTION" >>OUT', { announceCommand: undefined });
  try {
    await untilSeen(() => lines.length === 1, 'logged');
    assert.match(lines[0], /cannot announce the addresses of this node: cluster\.announce_command is not set/);
    now.standing = { ...FOLLOWING, lagSeconds: 100 };
    await untilSeen(() => ran().length === 1, 'withdrawn');
    assert.equal(ran(), ['withdraw']);
  } finally {
    await close();
  }
});

test('without commands nothing happens; a single node announces and withdraws with the service', async () => {
  const folder = temporaryFolder('alone');
  const out = join(folder, 'out');
  const log = createLogger({ level: 'error', format: 'json', write: () => {} });
  const tasks = singleNodeTasks();
  const cluster = { ipv4: [], ipv6: [], maxLag: 60, commandTimeout: 5000 };
  const none = { ...cluster, withdrawCommand: undefined, announceCommand: undefined };
  assert.is(
    openWithdrawal({ nodeName: 'a', cluster: none }, () => FOLLOWING, { tasks, log }),
    null,
  );
  const command = ['/bin/sh', '-c', `echo "$ACTION $STATE" >>${out}`];
  const withdrawal = openWithdrawal(
    { nodeName: 'a', cluster: { ...cluster, withdrawCommand: command, announceCommand: command } },
    null,
    { tasks, log },
  );
  await until(() => existsSync(out), 'announced');
  await withdrawal?.stop();
  assert.is(readFileSync(out, 'utf8'), 'announce following\nwithdraw stopping\n');
  removeFolder(folder);
});

test("a stop withdraws once, within the command's timeout; a node that reaches others without etcd stays announced", async () => {
  const item = rig('echo "$ACTION $STATE" >>OUT; [ "$STATE" != stopping ] || sleep 30', { commandTimeout: 2000 });
  item.now.standing = { ...FOLLOWING, state: 'without_etcd', etcdSeconds: 100 };
  await item.untilSeen(() => item.ran().length === 1, 'announced');
  await item.stop();
  assert.equal(item.ran(), ['announce without_etcd', 'withdraw stopping']);
  assert.match(item.lines.at(-1) ?? '', /cluster\.withdraw_command failed".*timeout after 2 seconds/);
  item.remove();

  const other = rig('echo "$ACTION $STATE" >>OUT');
  other.now.standing = { ...FOLLOWING, state: 'cut_off', lagSeconds: 61 };
  await other.untilSeen(() => other.lines.length === 1, 'withdrawn');
  await other.stop();
  assert.equal(other.ran(), ['withdraw cut_off']);
  await other.close();
});

/** False also for a process that has ended but is not reaped yet. */
function isRunning(pid: string): boolean {
  assert.match(pid, /^\d+$/);
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a command that hangs is killed with its children, a missing one is named, and it gets no secrets', async () => {
  process.env.WAYPOST_ADMIN_PASSWORD = 'secret';
  const late = await runCommand(['/bin/sh', '-c', 'sleep 600 & echo $!; wait'], {}, 2000);
  assert.is(late.fault, 'timeout after 2 seconds');
  await until(() => !isRunning(late.output), 'killed');
  assert.match((await runCommand(['/nowhere/anycast'], {}, 300)).fault ?? '', /ENOENT/);
  const { output, fault } = await runCommand(['/usr/bin/env'], { ACTION: 'announce' }, 5000);
  assert.is(fault, null);
  assert.equal(
    output
      .split('\n')
      .map((line) => line.split('=')[0])
      .sort(),
    ['ACTION', 'LC_ALL', 'PATH'],
  );
  const much = await runCommand(['/bin/sh', '-c', 'head -c 1000000 /dev/zero | tr "\\0" x'], {}, 10_000);
  assert.is(much.output.length, 4096);
  // It leaves something behind that holds its output open.
  const left = await runCommand(['/bin/sh', '-c', 'sleep 5 & echo done'], {}, 10_000);
  assert.equal(left, { fault: null, output: 'done' });
  delete process.env.WAYPOST_ADMIN_PASSWORD;
});

test.run();
