/**
 * What macOS puts next to files is passed over; what a browser could take for a page is audited,
 * whatever it begins with.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rawZip } from '../../../../support/raw-zip.ts';
import { audited } from '../corpus/audited.ts';
import { smallApp } from '../corpus/small-app.ts';

const HEAD = Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00]);

async function withBeside(text: string) {
  const content = Buffer.concat([HEAD, Buffer.from(text)]);
  const files = Object.entries({ ...smallApp(), '._page.html': content });
  return audited(rawZip(files.map(([name, data]) => ({ name, content: data }))));
}

test('a file of attributes is a finding, and no reason to reject', async () => {
  const { verdict, findings } = await withBeside('Mac OS X        ATTR com.apple.quarantine 0081;5f;Chrome;');
  assert.equal([verdict, findings.map(({ code }) => code)], ['approved', ['archive_dot_file']]);
});

test('a page that begins as they do', async () => {
  const { verdict, findings } = await withBeside("<script>eval(location.hash); fetch('https://example.net')</script>");
  assert.is(verdict, 'rejected');
  assert.ok(findings.some(({ code, file }) => code === 'eval' && file === '._page.html'));
});

test.run();
