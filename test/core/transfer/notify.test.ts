/** Keys that sign what secondaries are told, when they can't be used. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft.ts';
import { createLogger } from '../../../core/log/index.ts';
import { domains } from '../../../core/store/rows.ts';
import { Notifier } from '../../../core/transfer/notify.ts';
import type { TsigKey } from '../../../core/wire/tsig.ts';
import { embedded, newDomain, withStore } from '../journal/fixture.ts';

const test = suite('NOTIFY, keys');

async function logOf(keyByName: () => TsigKey | undefined): Promise<string[]> {
  const log: string[] = [];
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => {
      for (const name of ['a.test.', 'b.test.']) draft.put(domains, newDomain(name));
    });
    const notifier = new Notifier({
      targets: [{ address: '127.0.0.1', port: secondary.address().port, family: 4, key: 'transfer.test' }],
      reader,
      keyByName,
      log: createLogger({ level: 'info', format: 'text', write: (line) => log.push(line) }),
    });
    notifier.start();
    notifier.close();
  });
  secondary.close();
  return log;
}

test('a key that transfer.notify names and nobody has is an error in the log at start, once for all zones', async () => {
  const log = await logOf(() => undefined);
  assert.is(log.length, 1);
  assert.match(log[0], /transfer\.notify.*transfer\.test.*no such key/);
});

test("a key whose secret can't be opened ends nothing but its own secondary's news", async () => {
  const log = await logOf(() => {
    throw new Error('sealed by another key');
  });
  assert.is(log.length, 1);
  assert.match(log[0], /transfer\.test.*sealed by another key/);
});

test.run();
