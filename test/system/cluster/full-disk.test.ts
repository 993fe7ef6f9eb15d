/** A node of a cluster whose disk has no byte left is killed and started, and catches up later. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import type { Daemon } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { FILLER, fill, withSmallDisk } from '../../support/small-disk.ts';
import { untilPasses } from '../../support/until.ts';
import { startCluster } from './rig.ts';

const SIZE = 64 * 1024 ** 2;

async function countAnswers({ dnsPort }: Daemon, name: string): Promise<number> {
  const question = { name: parseName(`${name}.full.example.`), type: TYPE.A, class: CLASS_IN };
  const [response] = await queryTcp(dnsPort, [encodeQuery(question, 1)]);
  return decodeMessage(response).answer.length;
}

test('it serves what it has, refuses writes with 507, and catches up when there is space', () =>
  withSmallDisk(SIZE, async (folder) => {
    const { nodes, close } = await startCluster(2, (name) =>
      name === 'b' ? { WAYPOST_DATA_DIR: join(folder, 'data') } : ({} as Record<string, string>),
    );
    const [first, second] = nodes;
    try {
      const records = `/api/v1/domains/${await first.api.createDomain('full.example')}/records`;
      const add = async ({ api }: Daemon, name: string): Promise<string> => {
        const { status, text } = await api.request('POST', records, { type: 'A', name, content: '192.0.2.1', ttl: 60 });
        return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`;
      };
      assert.is(await add(first, 'before'), '200 ');
      await untilPasses(async () => assert.is(await countAnswers(second, 'before'), 1));
      await second.kill();
      fill(folder, 0);
      // More than the free pages of the file could hold.
      const content = 'x'.repeat(200);
      for (let batch = 0; batch < 5; batch++) {
        const post = Array.from({ length: 1000 }, (_, i) => ({ type: 'TXT', name: `t${i}-${batch}`, content }));
        await first.api.call('POST', `${records}/batch`, { post });
      }
      assert.is(await add(first, 'meanwhile'), '200 ');
      await second.start();
      assert.is(await countAnswers(second, 'before'), 1);
      await untilPasses(async () => assert.is(await add(second, 'here'), '507 disk_full'));
      assert.is(await countAnswers(second, 'meanwhile'), 0);
      rmSync(join(folder, FILLER));
      await untilPasses(async () => {
        assert.is(await countAnswers(second, 'meanwhile'), 1);
        assert.is(await add(second, 'after'), '200 ');
      });
    } finally {
      await close();
    }
  }));

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a full disk in a cluster, ${why}`);
