/** Origins as lines of text in the dashboard. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatOrigin, readOriginLines } from '../../../admin-api/dashboard/origins/origin-lines.ts';

test('reads hosts with protocol, port and weight', () => {
  assert.equal(readOriginLines(' a.example.net \n\nhttp://b.example.net:8080 3\r\n[2001:db8::1]:444\n2001:db8::2\n'), [
    { origin: 'a.example.net' },
    { origin: 'b.example.net', port: 8080, protocol: 'http', weight: 3 },
    { origin: '2001:db8::1', port: 444 },
    { origin: '2001:db8::2' },
  ]);
});

test('a line that is no origin is left to the API', () => {
  assert.equal(readOriginLines('https://a.example/path\na b c'), [
    { origin: 'https://a.example/path' },
    { origin: 'a b c' },
  ]);
});

test('formats an origin as a URL', () => {
  assert.is(formatOrigin({ origin: '2001:db8::1', port: 80, protocol: 'http' }), 'http://[2001:db8::1]:80');
});

test.run();
