/** A first start that fails, or that is killed at any moment, never locks the owner out. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiClient } from '../../support/api-client.ts';
import { type Child, startChild } from '../../support/child.ts';
import { environment, MAIN, runCommand, USUAL } from '../../support/daemon.ts';
import { depth, matrix } from '../../support/depth.ts';
import { freePort } from '../../support/ports.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';

interface Owner {
  readonly env: NodeJS.ProcessEnv;
  readonly ports: Readonly<Record<'dns' | 'admin' | 'http' | 'https', number>>;
  /** What the starts so far have printed. */
  printed: string;
  start(): Child;
  /** After the end of a start. */
  read(child: Child): void;
  /** The next start, which must succeed, and a sign-in with the last password that was printed. */
  signIn(): Promise<Child>;
}

/** An owner who starts the daemon for the first time, and knows only what it prints. */
async function withOwner(use: (owner: Owner) => Promise<void>, settings: Record<string, string> = {}): Promise<void> {
  const folder = temporaryFolder('first-start');
  const [dns, admin, http, https] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const { WAYPOST_ADMIN_PASSWORD: _, ...usual } = USUAL;
  const env = environment({
    ...usual,
    WAYPOST_DATA_DIR: join(folder, 'data'),
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dns}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${admin}`,
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    WAYPOST_EDGE_WORKERS: '1',
    ...settings,
  });
  const started = new Set<Child>();
  const owner: Owner = {
    env,
    ports: { dns, admin, http, https },
    printed: '',
    start() {
      const child = startChild(process.execPath, [MAIN, 'serve'], env);
      started.add(child);
      return child;
    },
    read(child) {
      started.delete(child);
      owner.printed += `${child.output()}\n`;
    },
    async signIn() {
      const child = owner.start();
      await child.waitFor(/^waypost ready/m);
      const passwords = [...`${owner.printed}${child.output()}`.matchAll(/has the password\s+(\S+)/g)];
      assert.ok(passwords.length > 0, `no password was printed:\n${owner.printed}`);
      await new ApiClient(`http://127.0.0.1:${admin}`).logIn('admin', passwords.at(-1)![1]);
      return child;
    },
  };
  try {
    await use(owner);
  } finally {
    for (const child of started) await child.stop('SIGKILL');
    removeFolder(folder);
  }
}

async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a client that waits for /readyz can sign in at once', () =>
  withOwner(
    async (owner) => {
      owner.start();
      const url = `http://127.0.0.1:${owner.ports.admin}`;
      await untilPasses(async () => assert.ok((await fetch(`${url}/readyz`)).ok));
      await new ApiClient(url).logIn('admin', USUAL.WAYPOST_ADMIN_PASSWORD);
    },
    { WAYPOST_ADMIN_PASSWORD: USUAL.WAYPOST_ADMIN_PASSWORD },
  ));

test('a port in use at the first start: the next start prints the password, and its hint works', () =>
  withOwner(async (owner) => {
    for (const listener of ['admin', 'http', 'https', 'dns'] as const) {
      const other = await occupy(owner.ports[listener]);
      const child = owner.start();
      assert.is(await child.ended(), 1);
      assert.match(child.output(), /cannot listen on/, `${listener}: ${child.output()}`);
      owner.read(child);
      other.close();
      await once(other, 'close');
    }
    assert.not.match(owner.printed, /has the password/, 'a start that fails creates no account');
    const first = await owner.signIn();
    await first.stop();
    owner.read(first);

    // The account exists, and the daemon does not know its password: the hint asks for it.
    const second = await owner.signIn();
    const hint = await second.waitFor(/export WAYPOST_TOKEN=\$\((waypost token create --login admin --url '(\S+)')\)/);
    assert.is(hint[2], `http://127.0.0.1:${owner.ports.admin}`);
    assert.not.match(second.output(), /WAYPOST_ADMIN_PASSWORD/);
    const password = /has the password\s+(\S+)/.exec(owner.printed)![1];
    const argv = hint[1].replaceAll("'", '').split(' ').slice(1);
    const token = await runCommand(argv, { ...owner.env, WAYPOST_ADMIN_PASSWORD: password });
    assert.is(token.code, 0, token.output);
    assert.match(token.output, /^wp_/m);
    await second.stop();
    owner.read(second);
  }));

/** A start without the edge takes half of the time. */
const NO_EDGE = { WAYPOST_EDGE_HTTP_LISTEN: 'off', WAYPOST_EDGE_HTTPS_LISTEN: 'off' };
/** Lines that a first start prints, blank ones among them; the fourth has the password. */
const LINES = [1, 2, 3, 4, 5, 6, 7];
/** Before the password is printed, before the account exists, and when it does. */
const REPRESENTATIVES = [1, 4, 7];
/** Random moments, some of which are after the same line. */
const RANDOM = depth({ quick: 0, moderate: 0, full: 20 });

/** Runs a first start that `interrupt` ends, and lets the owner in. */
const survives = (interrupt: (child: Child) => Promise<unknown>): Promise<void> =>
  withOwner(async (owner) => {
    const first = owner.start();
    await interrupt(first);
    owner.read(first);
    await (await owner.signIn()).stop('SIGKILL');
  }, NO_EDGE);

test('a first start that is killed after any line it prints', async () => {
  for (const line of matrix(LINES, (item) => REPRESENTATIVES.includes(item)))
    await survives(async (child) => {
      for (let i = 0; i < line; i++) await child.waitFor(/^/);
      await child.stop(line % 2 === 0 ? 'SIGINT' : 'SIGKILL');
    });
});

if (RANDOM > 0)
  test('a first start that is killed at random moments', async () => {
    const random = new Random(SEED);
    // So long a first start takes on this machine.
    const began = performance.now();
    await survives((child) => child.waitFor(/^waypost ready/m).then(() => child.stop('SIGKILL')));
    const whole = performance.now() - began;
    for (let i = 0; i < RANDOM; i++)
      await survives(async (child) => {
        await sleep(random.below(whole));
        await child.stop(random.pick(['SIGINT', 'SIGKILL']));
      });
  });

test('a password that cannot be printed is that of no account', () =>
  withOwner(async (owner) => {
    const serve = 'exec "$0" "$1" serve > /dev/full';
    const first = startChild('sh', ['-c', serve, process.execPath, MAIN], owner.env);
    assert.is(await first.ended(), 1);
    assert.match(first.output(), /cannot print the password .* No account was created\..*\(no_output\)/);
    await (await owner.signIn()).stop('SIGKILL');
  }));

test('a lost password is reset next to the data folder', () =>
  withOwner(async (owner) => {
    const first = await owner.signIn();
    const api = new ApiClient(`http://127.0.0.1:${owner.ports.admin}`);
    owner.read(first);
    const [, lost] = /has the password\s+(\S+)/.exec(owner.printed)!;
    const signedIn = await api.request('POST', '/api/v1/session', { login: 'admin', password: lost });
    const cookie = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0] };
    const statusOf = async () => (await api.request('GET', '/api/v1/session', undefined, undefined, cookie)).status;
    assert.is(await statusOf(), 200);
    const running = await runCommand(['account', 'reset', 'admin'], owner.env);
    assert.is(running.code, 1);
    assert.match(running.output, new RegExp(`in use by process ${first.pid}.*data_dir_in_use`));
    // A daemon that was killed leaves its lock, which is no reason to wait.
    await first.stop('SIGKILL');
    const { code, output } = await runCommand(['account', 'reset', 'admin'], owner.env);
    assert.is(code, 0, output);
    owner.printed = `has the password ${/^password: (\S+)$/m.exec(output)![1]}\n`;
    const second = await owner.signIn();
    assert.is(await statusOf(), 401);
    const refused = await api.request('POST', '/api/v1/auth/token', { login: 'admin', password: lost, name: 'x' });
    assert.is(refused.status, 401);
    await second.stop('SIGKILL');
  }));

test.run();
