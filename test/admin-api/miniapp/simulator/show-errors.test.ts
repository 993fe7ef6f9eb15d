/** Scripts of pages are loaded with CORS, and nothing else of a page changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { showErrors } from '../../../../admin-api/miniapp/simulator/show-errors.ts';

const test = suite('errors of scripts');
const shown = (page: string): string => showErrors(Buffer.from(page)).toString();

test('scripts with a file get the attribute', () => {
  assert.is(
    shown('<title>ü</title><script src="a.js"></script><SCRIPT defer src=b.js></SCRIPT><p>€'),
    '<title>ü</title><script crossorigin src="a.js"></script><SCRIPT crossorigin defer src=b.js></SCRIPT><p>€',
  );
});

test('text that only looks like a script is not changed', () => {
  for (const page of [
    '<script>var a = "<script src=x>";</script>',
    '<!-- <script src=x></script> -->',
    '<textarea><script src=x></script></textarea>',
    '<script crossorigin="use-credentials" src=x></script>',
    `<p>${'x'.repeat(300_000)}</p><script src=x></script>`,
  ])
    assert.is(shown(page), page);
});

test.run();
