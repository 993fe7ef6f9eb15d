/** Error pages of a domain: which page is chosen, what the check refuses, and escaping. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { InvalidError } from '../../../../core/base/errors.ts';
import { compileErrorPages, templateFor } from '../../../../core/site/error-pages/error-pages.ts';
import {
  MAX_PAGE_BYTES,
  PLACEHOLDERS,
  type PlaceholderValues,
  parseTemplate,
  renderTemplate,
} from '../../../../core/site/error-pages/template.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const VALUES: PlaceholderValues = {
  status: '502',
  title: 'The site does not respond',
  reason: 'Please try again.',
  code: 'origin_refused',
  request_id: 'abc-1',
  host: 'www.site.test',
  time: '2026-11-27 08:00:00',
};
const NAMES = Object.keys(PLACEHOLDERS) as (keyof PlaceholderValues)[];

const render = (html: string, values = VALUES): string => renderTemplate(parseTemplate(html), values);

test('placeholders are replaced, with or without spaces, as often as they occur', () => {
  assert.is(render('<b>{{status}}</b> {{ title }} {{status}}'), '<b>502</b> The site does not respond 502');
  assert.is(render('a{b}} {c}'), 'a{b}} {c}');
  for (const name of NAMES) assert.is(render(`{{${name}}}`), VALUES[name]);
});

test('values are escaped, and are not searched for placeholders', () => {
  assert.is(
    render('{{host}}', { ...VALUES, host: `<a href="x" b='c'>&{{status}}` }),
    '&lt;a href=&quot;x&quot; b=&#39;c&#39;&gt;&amp;{{status}}',
  );
});

test('a page equals the one that an obvious replacement makes', () => {
  const piece = fc.oneof(
    fc.constantFrom(...NAMES.map((name) => `{{${name}}}`)),
    fc.string().map((text) => text.replaceAll('{', '')),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.string(), (pieces, host) => {
      const values = { ...VALUES, host };
      const expected = pieces.map((text) => {
        const name = NAMES.find((candidate) => text === `{{${candidate}}}`);
        if (name === undefined) return text;
        return values[name]
          .replace(/&/g, '&amp;')
          .replace(/</g, '&lt;')
          .replace(/>/g, '&gt;')
          .replace(/"/g, '&quot;')
          .replace(/'/g, '&#39;');
      });
      assert.is(render(pieces.join(''), values), expected.join(''));
    }),
    { numRuns: depth({ quick: 50, moderate: 200, full: 2000 }) },
  );
});

function refusal(document: Parameters<typeof compileErrorPages>[0]): [string | undefined, string] {
  try {
    compileErrorPages(document);
  } catch (error) {
    const { pointer, message } = error as InvalidError & { pointer?: string };
    return [pointer, message];
  }
  return [undefined, ''];
}

test('the check names the page and the line', () => {
  const page = (html: string) => ({ pages: [{ status: '404', html }] });
  assert.match(refusal(page('a\n{{stauts}}'))[1], /page for 404.*line 2.*\{\{stauts\}\}.*\{\{status\}\}/);
  assert.match(refusal(page('{{'))[1], /line 1 opens no placeholder/);
  assert.match(refusal(page('{{{{status}}'))[1], /opens no placeholder/);
  assert.match(refusal(page('{{constructor}}'))[1], /unknown placeholder/);
  assert.match(refusal(page(' \n'))[1], /empty/);
  assert.match(refusal(page('a\0'))[1], /NUL/);
  assert.match(refusal(page('ä'.repeat(MAX_PAGE_BYTES / 2 + 1)))[1], /32770 bytes/);
  assert.is(refusal(page('ä'.repeat(MAX_PAGE_BYTES / 2)))[1], '');
  assert.match(refusal({ pages: [], maintenance: '{{x}}' })[1], /maintenance page/);
  assert.match(
    refusal({
      pages: [
        { status: '4xx', html: 'a' },
        { status: '4xx', html: 'b' },
      ],
    })[1],
    /two pages for 4xx/,
  );
});

test('the page of a status goes before that of its class; maintenance has its own', () => {
  const pages = compileErrorPages({
    pages: ['404', '4xx', '5xx'].map((status) => ({ status, html: `page ${status}` })),
    maintenance: 'back soon',
  });
  const chosen = (status: number, code = 'any'): string | undefined => templateFor(pages, status, code)?.literals[0];
  assert.is(chosen(404), 'page 404');
  assert.is(chosen(403), 'page 4xx');
  assert.is(chosen(502), 'page 5xx');
  assert.is(chosen(503, 'maintenance'), 'back soon');
  const few = compileErrorPages({ pages: [{ status: '404', html: 'x' }] });
  assert.is(templateFor(few, 502, 'any'), undefined);
  assert.is(templateFor(few, 503, 'maintenance'), undefined);
});

test.run();
