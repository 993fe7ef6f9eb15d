/** A store of another format is refused, before anything is read from it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
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

test.run();
