import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Output } from '../../../../admin-api/cli/base/io.ts';
import { startProgress } from '../../../../admin-api/cli/base/progress.ts';

function outputAs(terminal: { isTTY: boolean; columns?: number }): { output: Output; text: () => string } {
  const stream = new PassThrough();
  return { output: Object.assign(stream, terminal), text: () => String(stream.read() ?? '') };
}

test('a terminal shows a bar that ends with a line break', () => {
  const { output, text } = outputAs({ isTTY: true, columns: 120 });
  const progress = startProgress(output, 4, 'zones');
  progress.add(1, 10);
  progress.stop();
  const drawn = text();
  assert.match(drawn, /^\r█{10}░{30} 1\/4 zones, 10 records, \d+ records\/s, \d+ s to go/);
  assert.ok(drawn.endsWith('\u001b[K\n'));
});

test('a bar is not wider than its terminal', () => {
  const { output, text } = outputAs({ isTTY: true, columns: 20 });
  startProgress(output, 0, 'bytes').stop();
  assert.is(text(), `\r${'█'.repeat(20)}\u001b[K\n`);
});

test('more than the total counts as the total', () => {
  const { output, text } = outputAs({ isTTY: true });
  const progress = startProgress(output, 2, 'zones');
  progress.add(3, 0);
  progress.stop();
  assert.match(text(), / 2\/2 zones, .* 0 s to go/);
});

test('the state of the daemon replaces the counts, or is next to them', () => {
  const { output, text } = outputAs({ isTTY: true, columns: 120 });
  const progress = startProgress(output, 4, 'bytes');
  progress.show('writing records: 5 of 10', 50);
  progress.draw();
  assert.is(text(), `\r${'█'.repeat(20)}${'░'.repeat(20)} writing records: 5 of 10, 50 %\u001b[K`);
  progress.show('example.net: reading the file');
  progress.draw();
  assert.match(text(), / 0\/4 bytes, .* to go; example\.net: reading the file/);
  progress.stop();
  assert.not.match(text(), /example\.net/);
});

test('other outputs have no terminal sequences', () => {
  const { output, text } = outputAs({ isTTY: false });
  const progress = startProgress(output, 2, 'zones');
  progress.add(1, 1);
  progress.stop();
  assert.is(text(), '');
  progress.show('queued', 3);
  progress.draw();
  assert.is(text(), 'queued, 3 %\n');
});

test.run();
