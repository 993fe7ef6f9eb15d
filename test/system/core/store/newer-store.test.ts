/** An older program on the store of a newer one: one line that says what to do, and exit code 1. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FORMAT_KEY, openEnvironment, STORE_FORMAT } from '../../../../core/store/environment.ts';
import { FEATURE_LEVEL, LEVEL_KEY } from '../../../../core/store/level.ts';
import { ADMIN_PASSWORD, environment, runCommand, startDaemon, USUAL } from '../../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const test = suite('core/store: the store of a newer version');
const folder = temporaryFolder('newer-store');
test.after(() => removeFolder(folder));

const FUTURE: readonly [what: string, key: Buffer, value: string, text: RegExp][] = [
  ['format', FORMAT_KEY, String(Number(STORE_FORMAT.toString()) + 1), /has format \d+, of a newer version of Waypost/],
  ['level', LEVEL_KEY, String(FEATURE_LEVEL + 1), /has data of feature level \d+, of a newer version of Waypost/],
];
/** They open the store as a daemon does. */
const COMMANDS = [['serve'], ['answers', 'rebuild'], ['account', 'reset', 'admin']];

for (const [what, key, value, text] of FUTURE)
  test(`a store of a higher ${what} is refused with one line, and stays as it is`, async () => {
    const dataDir = join(folder, what);
    const store = openEnvironment(dataDir);
    await store.meta.put(key, Buffer.from(value));
    await store.close();
    const env = environment({
      ...USUAL,
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_DNS_LISTEN: '127.0.0.1:0',
      WAYPOST_ADMIN_LISTEN: '127.0.0.1:0',
    });
    for (const command of COMMANDS) {
      const { code, output } = await runCommand(command, env);
      assert.is(code, 1, output);
      const lines = output.trimEnd().split('\n');
      assert.is(lines.length, 1, output);
      assert.match(lines[0], text);
      assert.match(lines[0], 'Install that version again');
    }
  });

test('downgrade-check names the level that an earlier version does not read', async () => {
  const daemon = await startDaemon();
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const check = async (...args: string[]) => {
      const { code, output } = await runCommand(['downgrade-check', '--json', ...args], daemon.env);
      const { ok, level, reads_level } = JSON.parse(output) as Record<string, unknown>;
      return [code, ok, level, reads_level];
    };
    const zone = await daemon.api.createDomain('example.com');
    assert.equal(await check('--to', '0.2.0'), [0, true, 1, 1]);
    await daemon.api.call('PUT', `/api/v1/domains/${zone}/proxy/rules`, { rules: [] });
    const [code, ok, level] = await check('--to', '0.2.0');
    assert.equal([code, ok, Number(level) > 1], [1, false, true]);
    const { output } = await runCommand(['downgrade-check', '--to', '0.2.0'], daemon.env);
    assert.match(
      output,
      /does not read all of this store: it has data of feature level \d+, that version reads level 1\./,
    );
  } finally {
    await daemon.close();
  }
});

test.run();
