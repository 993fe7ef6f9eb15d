/** `waypost account reset`: a new password next to the data folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Passwords } from '../../../../admin-api/people/auth/password.ts';
import { withOfflineNode } from '../../../../core/cluster/offline.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { openEnvironment } from '../../../../core/store/environment.ts';
import { lockDirectory } from '../../../../core/store/lock.ts';
import { accounts, sessions, totps } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { run } from '../harness.ts';

const CLIENT = { account: '', network: '' };

async function withFolder(use: (env: NodeJS.ProcessEnv, dataDir: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('reset');
  const dataDir = join(folder, 'data');
  const env = { WAYPOST_DATA_DIR: dataDir, WAYPOST_DNS_INDEX_MEMORY: '16MB' };
  await openEnvironment(dataDir).close();
  try {
    await use(env, dataDir);
  } finally {
    removeFolder(folder);
  }
}

const put = (env: NodeJS.ProcessEnv, work: (draft: Draft) => void): Promise<unknown> =>
  withOfflineNode(loadConfig({ env }), ({ environment, journal }) => write(environment, journal, 'test', work));

/** An account with two sessions and one-time codes; its id is 1. */
const addAdmin = (env: NodeJS.ProcessEnv): Promise<unknown> =>
  put(env, (draft) => {
    draft.put(accounts, {
      ...{ id: 1, username: 'admin', email: 'boss@example.net', role: 'admin', plan: 'unlimited' },
      ...{ passwordHash: 'lost', apiEnabled: true, createdAt: 1, updatedAt: 1 },
    });
    for (const id of [1, 2])
      draft.put(sessions, {
        ...{ id, accountId: 1, hash: String(id).repeat(64), createdAt: 1, usedAt: 1 },
        ...{ remoteAddress: '127.0.0.1', userAgent: null },
      });
    draft.put(totps, {
      ...{ accountId: 1, sealed: '', createdAt: 1, confirmedAt: 1, lastStep: 0, recoveryHashes: [] },
      ...{ failures: 7, lockedUntil: 4_000_000_000 },
    });
  });

async function read<T>(dataDir: string, work: (reader: StoreReader) => T): Promise<T> {
  const environment = openEnvironment(dataDir);
  try {
    return work(new StoreReader(environment));
  } finally {
    await environment.close();
  }
}

const opens = async (dataDir: string, password: string): Promise<boolean> => {
  const hash = await read(dataDir, (reader) => reader.account(1)?.passwordHash);
  return new Passwords().verify(hash, password, CLIENT);
};

test('generates and prints a password, ends the sessions, and is in the audit log', () =>
  withFolder(async (env, dataDir) => {
    await addAdmin(env);
    const { code, stdout, stderr } = await run(['account', 'reset', 'admin'], { env });
    assert.is(code, 0, stderr);
    const password = /^password: (\S{20})$/m.exec(stdout)?.[1] ?? '';
    assert.match(stdout, `set a new password for account admin in ${dataDir}; ended 2 sessions`);
    assert.match(stderr, /still has second factors.*--factors/);
    assert.ok(await opens(dataDir, password));
    await read(dataDir, (reader) => {
      assert.equal(reader.sessionsOf(1), []);
      const { failures, lockedUntil } = reader.totp(1)!;
      assert.equal([failures, lockedUntil], [0, 0], 'a lock of codes is lifted');
      const [entry] = reader.audits(null, null, 10);
      assert.equal([entry.action, entry.accountId, entry.target, entry.actor], ['account.reset', 1, 1, null]);
      assert.equal(entry.detail, { username: 'admin', password_changed: true, sessions_ended: 2 });
    });
    assert.equal(
      readdirSync(dataDir).filter((name) => name.startsWith('waypost.pid')),
      [],
    );
  }));

test('takes a password from standard input, an e-mail address, and removes second factors', () =>
  withFolder(async (env, dataDir) => {
    await addAdmin(env);
    const argv = ['account', 'reset', 'boss@example.net', '--password-stdin', '--factors', '--json'];
    const { code, stdout, stderr } = await run(argv, { env, stdin: 'a new secret\n' });
    assert.is(code, 0, stderr);
    const factors_removed = { totp: true, passkeys: 0 };
    assert.equal(JSON.parse(stdout), { ok: true, username: 'admin', sessions_ended: 2, factors_removed });
    assert.ok(await opens(dataDir, 'a new secret'));
    assert.is(await read(dataDir, (reader) => reader.totp(1)), undefined);
    const short = await run(['account', 'reset', 'admin', '--password-stdin'], { env, stdin: 'short\n' });
    assert.match(short.stderr, /8 to 1024 characters\. \(no_password\)/);
    assert.ok(await opens(dataDir, 'a new secret'));
  }));

test('names what is wrong: no store, no account, a daemon that runs', () =>
  withFolder(async (env, dataDir) => {
    const empty = await run(['account', 'reset', 'admin'], { env });
    assert.match(empty.stderr, /no account "admin": it has none; the next start creates "admin"\. \(no_such_account\)/);
    await addAdmin(env);
    const other = await run(['account', 'reset', 'bob'], { env });
    assert.is(other.code, 1);
    assert.match(other.stderr, /no account "bob": it has admin\. \(no_such_account\)/);
    const nowhere = await run(['account', 'reset', 'admin'], { env: { WAYPOST_DATA_DIR: join(dataDir, 'no') } });
    assert.match(nowhere.stderr, /There is no store in .*WAYPOST_DATA_DIR.*\(no_store\)/);
    assert.not(readdirSync(dataDir).includes('no'), 'nothing is created in a wrong folder');
    const lock = lockDirectory(dataDir);
    try {
      const running = await run(['account', 'reset', 'admin'], { env });
      assert.match(running.stderr, /in use by .*\(data_dir_in_use\)\n {2}next: Stop the daemon .*account set NAME/s);
    } finally {
      lock.release();
    }
  }));

test.run();
