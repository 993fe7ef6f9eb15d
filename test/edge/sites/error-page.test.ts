/** Error pages: the content type by Accept, the fields, and escaping. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileErrorPages, MAINTENANCE_CODE } from '../../../core/site/error-pages/error-pages.ts';
import { FAULT_PAGES, LOOP } from '../../../edge/proxy/pages.ts';
import { answerError, type ErrorPage } from '../../../edge/sites/error-page.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain; charset=utf-8';

const ROWS: readonly (readonly [string | null, string])[] = [
  [null, HTML],
  ['', HTML],
  ['*/*', HTML],
  ['text/html', HTML],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', HTML],
  ['application/json', JSON_TYPE],
  ['Application/JSON', JSON_TYPE],
  ['application/json, text/plain, */*', JSON_TYPE],
  ['application/json;q=0.5, text/html;q=0.4', JSON_TYPE],
  ['application/json;q=0.4, text/html;q=0.5', HTML],
  ['application/*', JSON_TYPE],
  ['application/json;q=0, */*', HTML],
  ['text/html;q=0, */*;q=0.1', JSON_TYPE],
  ['text/plain', TEXT],
  ['text/plain;format=flowed', TEXT],
  ['text/*', HTML],
  ['text/*;q=0.2, application/json;q=0.1', HTML],
  ['image/png', HTML],
  ['application/json ; q = 1.000', JSON_TYPE],
  ['application/json;q=nonsense', JSON_TYPE],
  [',,,;;,', HTML],
  [`${'a/b,'.repeat(5000)}application/json`, HTML],
];

for (const [accept, type] of ROWS) {
  test(`Accept: ${accept === null ? 'none' : accept.slice(0, 80)}`, () => {
    const exchange = new FakeExchange({ headers: accept === null ? [] : ['accept', accept] });
    const bytes = answerError(exchange, FAULT_PAGES.refused, 'abc-1');
    assert.is(exchange.status, 502);
    assert.is(exchange.field('content-type'), type);
    assert.is(exchange.field('cache-control'), 'no-store');
    assert.is(exchange.field('x-request-id'), 'abc-1');
    assert.is(Number(exchange.field('content-length')), bytes);
    assert.match(exchange.text, 'abc-1');
    if (type === JSON_TYPE) {
      const { ok, error, request_id } = JSON.parse(exchange.text);
      assert.equal([ok, error.code, request_id], [false, 'origin_refused', 'abc-1']);
    }
  });
}

test('a page that is sent again has the type, host and id of its own request', () => {
  const textOf = (page: ErrorPage, accept: string, authority: string, id: string): string => {
    const exchange = new FakeExchange({ headers: ['accept', accept], authority });
    answerError(exchange, page, id);
    return exchange.text;
  };
  for (const accept of ['text/html', 'application/json', 'text/plain', 'text/html'])
    for (const authority of ['a.test', 'id-of-the-request.test', 'a.test'])
      for (const id of ['abc-1', 'abc-22', '<b>', 'id-of-the-request'])
        assert.is(textOf(LOOP, accept, authority, id), textOf({ ...LOOP }, accept, authority, id));
  assert.match(textOf(LOOP, 'text/html', 'a.test', 'abc-3'), '<code>abc-3</code>');
});

test('text from the visitor is escaped', () => {
  const exchange = new FakeExchange({ authority: `a'&b.test` });
  answerError(exchange, { ...LOOP, title: '<script>"' }, '<b>');
  assert.not.match(exchange.text, '<script>');
  assert.not.match(exchange.text, '<b>');
  assert.match(exchange.text, 'a&#39;&amp;b.test');
});

test('HEAD gets the fields only', () => {
  const exchange = new FakeExchange({ method: 'HEAD' });
  assert.is(answerError(exchange, LOOP, 'x'), 0);
  assert.is(exchange.status, 508);
  assert.is(exchange.text, '');
});

test('a page for a temporary failure has retry-after', () => {
  const exchange = new FakeExchange();
  answerError(exchange, FAULT_PAGES.busy, 'x');
  assert.is(exchange.status, 503);
  assert.is(exchange.field('retry-after'), '5');
});

test('the page loads nothing', () => {
  const exchange = new FakeExchange();
  answerError(exchange, LOOP, 'x');
  assert.not.match(exchange.text, /https?:|src=|href=|url\(/);
});

const OWN = compileErrorPages({
  pages: [{ status: '5xx', html: '<title>{{status}} {{title}}</title>{{reason}} {{code}} {{request_id}} {{host}}' }],
  maintenance: 'closed until {{time}}',
});

test("a site's own page replaces the HTML only, and runs no scripts", () => {
  const exchange = new FakeExchange({ authority: 'www.site.test:8443' });
  const bytes = answerError(exchange, { ...FAULT_PAGES.refused, visitor: 'a<b' }, 'abc-1', OWN);
  assert.is(exchange.text, '<title>502 The site does not respond</title>a&lt;b origin_refused abc-1 www.site.test');
  assert.is(bytes, Buffer.byteLength(exchange.text));
  assert.is(exchange.field('content-length'), String(bytes));
  assert.is(exchange.field('content-type'), HTML);
  assert.is(exchange.field('cache-control'), 'no-store');
  assert.is(exchange.field('x-content-type-options'), 'nosniff');
  assert.match(
    exchange.field('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self' 'unsafe-inline';/,
  );
  assert.not.match(exchange.field('content-security-policy') ?? '', /script-src/);

  const program = new FakeExchange({ headers: ['accept', 'application/json'] });
  answerError(program, FAULT_PAGES.refused, 'abc-1', OWN);
  assert.is(JSON.parse(program.text).error.code, 'origin_refused');

  const head = new FakeExchange({ method: 'HEAD' });
  assert.is(answerError(head, FAULT_PAGES.refused, 'abc-1', OWN), 0);
  assert.ok(Number(head.field('content-length')) > 0);
  assert.is(head.text, '');
});

test('maintenance has its own page, and a status without one has the page of the service', () => {
  const closed = new FakeExchange();
  answerError(closed, { ...LOOP, status: 503, code: MAINTENANCE_CODE }, 'x', OWN);
  assert.match(closed.text, /^closed until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  const missing = new FakeExchange();
  answerError(missing, { ...LOOP, status: 417 }, 'x', OWN);
  assert.match(missing.text, /^<!doctype html>/);
});

test.run();
