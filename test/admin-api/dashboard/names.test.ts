/** Names in Unicode, compared with Node's decoder. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toBothForms, toUnicode } from '../../../admin-api/dashboard/names.ts';

test('decodes A-labels as Node does', () => {
  for (const name of ['bücher.example', 'www.日本語.jp', 'παράδειγμα.δοκιμή', 'münchen-ost.de', '☃.net', 'a.😀.test']) {
    const ascii = domainToASCII(name);
    assert.ok(ascii.includes('xn--'), name);
    assert.is(toUnicode(ascii), domainToUnicode(ascii));
  }
});

test('leaves other labels as they are', () => {
  for (const name of ['example.com', '@', '', '*.www', '_sip._udp', 'xn--', 'xn--!', 'xn--a-', 'xn--99999999999'])
    assert.is(toUnicode(name), name);
});

test('shows both forms only where they differ', () => {
  assert.is(toBothForms('xn--bcher-kva.example'), 'bücher.example (xn--bcher-kva.example)');
  assert.is(toBothForms('*.example.com'), '*.example.com');
});

test.run();
