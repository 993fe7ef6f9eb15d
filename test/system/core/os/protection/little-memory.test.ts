/** With little memory, the daemon has small heaps, whatever options Node was started with. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAIN_HEAP, SMALL_MAIN_HEAP } from '../../../../../core/base/main-heap.ts';
import { type Daemon, startDaemon } from '../../../../support/daemon.ts';

const argumentsOf = ({ child }: Daemon): string[] => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0');
const variablesOf = ({ child }: Daemon): string[] => readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0');

test('Node starts once more with a small heap, in the same process', async () => {
  // The environment of a process whose core dumps are off is not readable.
  const settings = { WAYPOST_PROTECTION_MEMORY: '200MB', WAYPOST_PROTECTION_CORE_DUMPS: 'true' };
  const daemon = await startDaemon(settings, { options: [...MAIN_HEAP, '--stack-trace-limit=12'] });
  try {
    const args = argumentsOf(daemon);
    assert.ok(args.includes(SMALL_MAIN_HEAP) && args.includes('--stack-trace-limit=12'), args.join(' '));
    for (const option of MAIN_HEAP) assert.not(args.includes(option), option);
    assert.is(args.filter((arg) => arg === 'serve').length, 1);
    assert.ok(variablesOf(daemon).includes('MALLOC_ARENA_MAX=2'));
    assert.match(daemon.child.output(), /WARN {2}less memory than the minimum .*memory=200MB/);
    assert.is((await daemon.api.request('GET', '/healthz')).status, 200);
    assert.is(await daemon.stop(), 0);
  } finally {
    await daemon.close();
  }
});

test('with enough memory, the options stay', async () => {
  const daemon = await startDaemon({ WAYPOST_PROTECTION_MEMORY: '900MB' }, { options: MAIN_HEAP });
  try {
    const args = argumentsOf(daemon);
    assert.not(args.includes(SMALL_MAIN_HEAP));
    assert.not.match(daemon.child.output(), /less memory/);
  } finally {
    await daemon.close();
  }
});

test.run();
