/** A store of another format, or with data of a newer version, is refused before it is read. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { FEATURE_LEVEL, FIRST_LEVEL, LEVEL_KEY, raiseStoreLevel, readStoreLevel } from '../../../core/store/level.ts';
import { accounts, keptPtrs, type Table } from '../../../core/store/rows.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const FORMAT = Buffer.from('format');

test('a new store gets the current format, and opens again', async () => {
  const folder = temporaryFolder('format');
  for (let i = 0; i < 2; i++) {
    const environment = openEnvironment(folder);
    assert.is(environment.meta.get(FORMAT)?.toString(), '2');
    await environment.close();
  }
  removeFolder(folder);
});

test('a store without a format, or with another one, says what to do', async () => {
  for (const format of [null, '1', '3']) {
    const folder = temporaryFolder('format');
    const environment = openEnvironment(folder);
    await environment.meta.put(Buffer.from('head'), Buffer.alloc(38));
    if (format === null) await environment.meta.remove(FORMAT);
    else await environment.meta.put(FORMAT, Buffer.from(format));
    await environment.close();
    assert.throws(
      () => openEnvironment(folder),
      (error: Error) =>
        error instanceof ConfigError &&
        error.code === 'other_format' &&
        (format === '3' ? /waypost downgrade-check/ : /it converts the store/).test(error.message),
    );
    removeFolder(folder);
  }
});

test('a store with data of a newer version says what to do, and is not changed', async () => {
  const folder = temporaryFolder('format');
  const environment = openEnvironment(folder);
  await environment.meta.put(LEVEL_KEY, Buffer.from(String(FEATURE_LEVEL + 1)));
  await environment.close();
  for (let i = 0; i < 2; i++)
    assert.throws(
      () => openEnvironment(folder),
      (error: Error) =>
        error instanceof ConfigError &&
        error.code === 'newer_store' &&
        error.message.includes(`level ${FEATURE_LEVEL + 1}, of a newer version`) &&
        /Install that version again.*waypost downgrade-check/.test(error.message),
    );
  removeFolder(folder);
});

test('the level of a store rises with its rows, and never falls', async () => {
  const folder = temporaryFolder('format');
  let environment = openEnvironment(folder);
  const level = (): number => readStoreLevel(environment.meta);
  assert.is(level(), FIRST_LEVEL);
  const raise = (table: object, value: string): unknown =>
    environment.root.transactionSync(() =>
      raiseStoreLevel(
        environment.meta,
        { ...accounts, ...table } as Table<unknown>,
        Buffer.from('k'),
        Buffer.from(value),
      ),
    );
  raise({}, 'v');
  assert.is(level(), FIRST_LEVEL);
  raise({ level: 3 }, 'v');
  assert.is(level(), 3);
  raise({ level: 2 }, 'v');
  assert.is(level(), 3);
  raise({ levelOf: (_key: Uint8Array, value: Uint8Array) => value.length }, 'four');
  assert.is(level(), 4);
  // Rows that were copied into the file.
  await environment.rows.get(keptPtrs.number)!.put(Buffer.from('key'), Buffer.from('value'));
  assert.is(level(), 4);
  await environment.close();
  environment = openEnvironment(folder);
  assert.is(level(), keptPtrs.level);
  await environment.close();
  removeFolder(folder);
});

test.run();
