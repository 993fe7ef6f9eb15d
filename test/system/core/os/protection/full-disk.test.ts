/** A node whose disk has no byte left is killed or stopped, and started again. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../../../core/dns/wire/types.ts';
import type { Json } from '../../../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { queryTcp } from '../../../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../../../support/message.ts';
import { freePort } from '../../../../support/ports.ts';
import { FILLER, fill, withSmallDisk } from '../../../../support/small-disk.ts';
import { untilPasses } from '../../../../support/until.ts';

const SIZE = 64 * 1024 ** 2;
/** No process has it: it is above the largest number of Linux. */
const NOBODY = 4_194_304_999;

async function addressOf(daemon: Daemon): Promise<number> {
  const question = { name: parseName('www.full.example.'), type: TYPE.A, class: CLASS_IN };
  const [response] = await queryTcp(daemon.dnsPort, [encodeQuery(question, 1)]);
  return decodeMessage(response).answer.length;
}

/** The status and code of a request. */
async function outcome(daemon: Daemon, path: string, body: Json): Promise<string> {
  const { status, text } = await daemon.api.request('POST', path, body);
  return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`;
}

/** With and without the reserve, below which the node would not even try to write. */
for (const reserve of ['0', String(4 * 1024 ** 2)])
  test(`a node with a full disk starts and serves, and writes are 507: reserve ${reserve}`, async () => {
    await withSmallDisk(SIZE, async (folder) => {
      const dataDir = join(folder, 'data');
      const edge = await freePort();
      const daemon = await startDaemon({
        WAYPOST_DATA_DIR: dataDir,
        WAYPOST_PROTECTION_DISK_RESERVE: reserve,
        WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${edge}`,
        WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
        WAYPOST_EDGE_WORKERS: '1',
      });
      try {
        await daemon.api.logIn('admin', ADMIN_PASSWORD);
        const records = `/api/v1/domains/${await daemon.api.createDomain('full.example')}/records`;
        const record = { type: 'A', name: 'www', content: '192.0.2.1', ttl: 60 };
        assert.is(await outcome(daemon, records, record), '200 ');

        // After a kill the old lock is there, after a shutdown none.
        for (const end of ['kill', 'stop'] as const) {
          await daemon[end]();
          for (const name of [`waypost.pid.${NOBODY}`, `waypost.pid.${NOBODY}.stale`, `secret.key.${NOBODY}.0123abcd`])
            writeFileSync(join(dataDir, name), '');
          if (end === 'stop') {
            // What a start would create or write: statistics, and all answers for other settings.
            for (const name of ['counts.mdb', 'counts.mdb-lock']) rmSync(join(dataDir, name));
            daemon.env.WAYPOST_SOA_MINIMUM = '77';
          }
          fill(folder, 0);
          await daemon.start();
          assert.is(await addressOf(daemon), 1);
          assert.is((await fetch(`http://127.0.0.1:${edge}/`, { headers: { connection: 'close' } })).status, 404);
          // LMDB reuses some pages of its file, so a few small writes may still find room.
          await untilPasses(async () => {
            const large = { ...record, type: 'TXT', name: 'txt', content: `"${'x'.repeat(250)}" `.repeat(15).trim() };
            const name = `n${Math.random()}`.replace('.', '');
            assert.is(await outcome(daemon, records, { ...large, name }), '507 disk_full');
          });
          assert.is(await addressOf(daemon), 1);
          assert.is((await daemon.api.request('GET', records)).status, 200);
          assert.equal(
            readdirSync(dataDir).filter((name) => name.includes(String(NOBODY))),
            [],
            'leftovers of killed processes are removed',
          );
          // An error of the file system names the file.
          const nameless = daemon.child
            .output()
            .split('\n')
            .filter((line) => /ENOSPC/.test(line) && !/'\//.test(line));
          assert.equal(nameless, []);
        }

        const output = daemon.child.output();
        assert.match(output, /the disk is full: no statistics until a restart/);
        assert.match(output, /the disk is full: serving with the previous settings until a restart/);

        // With space it goes on by itself, and the next start does what was left.
        rmSync(join(folder, FILLER));
        await untilPasses(async () => assert.is(await outcome(daemon, records, { ...record, name: 'after' }), '200 '));
        await daemon.stop();
        await daemon.start();
        assert.match(daemon.child.output(), /compiled all answers/);
        assert.ok(existsSync(join(dataDir, 'counts.mdb')));
        assert.is(await addressOf(daemon), 1);
      } finally {
        await daemon.close();
      }
    });
  });

test.run();
