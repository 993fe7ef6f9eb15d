import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import koffi from 'koffi';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { disableCoreDumps } from '../../../../core/os/memory.ts';
import { StartRecord, startDelay } from '../../../../core/os/protection/start-record.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

test('the delay begins with the third failed start, doubles, and has a maximum', () => {
  assert.equal(
    [0, 1, 2, 3, 4, 5, 9, 1000].map((failed) => startDelay(failed, 60_000)),
    [0, 0, 0, 2000, 4000, 8000, 60_000, 60_000],
  );
});

test('starts without a shutdown delay the next one, and a shutdown ends that', async () => {
  const folder = temporaryFolder('starts');
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) });
  const waits: number[] = [];
  const start = async (): Promise<StartRecord> => {
    const record = new StartRecord(folder, 60_000, async (ms) => void waits.push(ms));
    await record.begin(log);
    // The parts start again with the store of another node.
    await record.begin(log);
    return record;
  };
  try {
    for (let i = 0; i < 4; i++) await start();
    assert.equal(waits, [2000]);
    const last = await start();
    assert.equal(waits, [2000, 4000]);
    assert.match(lines.join(), /previous starts failed; delaying this start.*seconds=4/);
    last.end();
    await start();
    assert.is(waits.length, 2);
    // Starts of long ago, and a damaged file, do not count.
    writeFileSync(join(folder, 'starts.json'), JSON.stringify([1, 2, 3, 4, 5]));
    await start();
    assert.is((JSON.parse(readFileSync(join(folder, 'starts.json'), 'utf8')) as number[]).length, 1);
    for (const text of ['', '{', '{"a":1}', '["x",null,7]']) {
      writeFileSync(join(folder, 'starts.json'), text);
      await start();
    }
    assert.is(waits.length, 2);
    await new StartRecord(join(folder, 'missing'), 60_000).begin(log);
  } finally {
    removeFolder(folder);
  }
});

test('after a start that answered DNS, the next one waits only when it answers, too', async () => {
  const folder = temporaryFolder('starts');
  const log = createLogger({ level: 'error', format: 'text' });
  const waits: number[] = [];
  try {
    for (let i = 0; i < 4; i++) {
      const record = new StartRecord(folder, 60_000, async (ms) => void waits.push(ms));
      await record.begin(log);
      assert.equal(waits, []);
      await record.served();
    }
    assert.equal(waits, [2000]);
    // This start fails before it answers, so the next one waits before.
    await new StartRecord(folder, 60_000, async () => {}).begin(log);
    const last = new StartRecord(folder, 60_000, async (ms) => void waits.push(ms));
    await last.begin(log);
    assert.equal(waits, [2000, 8000]);
    await last.served();
    assert.equal(waits, [2000, 8000]);
  } finally {
    removeFolder(folder);
  }
});

const PR_GET_DUMPABLE = 3;

test('core dumps can be disabled', () => {
  if (process.platform !== 'linux') return;
  assert.ok(disableCoreDumps());
  const prctl = koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)');
  assert.is(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
});

test.run();
