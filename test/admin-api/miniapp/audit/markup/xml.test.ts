/** XML files are read as a parser of XML reads them, too. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, codesOf } from '../web/audited.ts';

const test = suite('admin-api/miniapp/audit/markup/xml');

const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
const page = (body: string): string =>
  `<?xml version="1.0"?>\n<html ${XHTML}><head><title>a</title></head><body>${body}</body></html>`;
const STRICT =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">';

/** File, content, and the code of a finding that it must have. */
const FOUND: readonly (readonly [string, string, string])[] = [
  ['a.xhtml', `<html ${XHTML}><head><title/><script>eval(1)</script></head><body/></html>`, 'eval'],
  ['a.xht', `<html ${XHTML}><head><style/><script>eval(1)</script></head><body/></html>`, 'eval'],
  ['a.xhtml', page('<textarea/><script>eval(1)</script>'), 'eval'],
  ['a.xhtml', page('<textarea/><p onclick="eval(1)"/>'), 'inline_handler'],
  ['a.xhtml', page('<textarea/><a href="javascript:go()">x</a>'), 'javascript_url'],
  ['a.xhtml', page('<textarea/><script src="https://example.com/a.js"></script>'), 'remote_script'],
  ['a.xhtml', page('<select><p onclick="eval(1)"/></select>'), 'eval'],
  ['a.xhtml', page('<xmp/><iframe src="a.html"/>'), 'frame_element'],
  ['a.xhtml', page('<?pi > <script>?><p onclick="eval(1)"/>'), 'eval'],
  ['a.xhtml', page('<textarea/><script>ev<![CDATA[al]]>(1)</script>'), 'eval'],
  ['a.xhtml', page('<textarea/><script>ev&#97;l(1)</script>'), 'eval'],
  ['a.xhtml', page('<textarea/><script>ev<!-- -->al(1)</script>'), 'eval'],
  ['a.xml', `<a><title/><h:script xmlns:h="http://www.w3.org/1999/xhtml">eval(1)</h:script></a>`, 'eval'],
  ['page', page('<textarea/><script>eval(1)</script>'), 'eval'],
  // Browsers run what comes before the error.
  ['a.xhtml', `<html ${XHTML}><head><title/><script>eval(1)</script>`, 'eval'],
  ['a.xhtml', `<html ${XHTML}><body>`, 'xml_malformed'],
  ['a.xhtml', page('<p>a</b></p>'), 'xml_malformed'],
  ['a.xhtml', page('a & b'), 'xml_malformed'],
  ['a.xhtml', page('a &nbsp; b'), 'xml_malformed'],
  ['a.xhtml', page('<p title=a/>'), 'xml_malformed'],
  ['a.xhtml', page('<p hidden/>'), 'xml_malformed'],
  ['a.xhtml', page('<p id="a" id="b"/>'), 'xml_malformed'],
  ['a.xhtml', page('<svg:g/>'), 'xml_malformed'],
  ['a.xhtml', page('<!-- -- -->'), 'xml_malformed'],
  ['a.xhtml', page('a ]]> b'), 'xml_malformed'],
  ['a.xhtml', page('<p title="<"/>'), 'xml_malformed'],
  ['a.xhtml', `${page('a')}b`, 'xml_malformed'],
  ['a.xhtml', `${STRICT}<html ${XHTML}><body>&no;&constructor;</body></html>`, 'xml_malformed'],
  ['a.xhtml', ' <?xml version="1.0"?><a/>', 'xml_malformed'],
  ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#a"/></svg>', 'xml_malformed'],
  ['a.svg', '', 'xml_malformed'],
  ['a.svg', `${'<g>'.repeat(600)}${'</g>'.repeat(600)}`, 'markup_too_deep'],
  ['a.xml', `<a><plaintext/>${'<g>'.repeat(600)}${'</g>'.repeat(600)}</a>`, 'markup_too_deep'],
];

for (const [file, content, code] of FOUND)
  test(`${file}: ${content.slice(0, 150)} has ${code}`, async () => {
    const found = codesOf(await auditedFiles({ [file]: content }));
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

/** Without a finding. */
const SOUND: readonly (readonly [string, string])[] = [
  ['a.xhtml', page('<p>a &amp; b &#160; c</p><br/><![CDATA[ a < b ]]>')],
  ['a.xhtml', page('<script>//<![CDATA[\nfor (let i = 0; i < 1; i++);\n//]]></script>')],
  [
    'a.xhtml',
    `<?xml version="1.0" encoding="utf-8"?>\n${STRICT}\n<html ${XHTML}><body>a &nbsp; &eacute;</body></html>`,
  ],
  ['a.xhtml', `\ufeff${page('a')}`],
  [
    'a.svg',
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>',
  ],
  ['a.svg', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
  // By their names these are HTML.
  ['a.html', '<?xml version="1.0"?><!doctype html><title>a</title><p>a & b<br>'],
  ['a.htm', '<p hidden>a'],
];

for (const [file, content] of SOUND)
  test(`${file}: ${content.slice(0, 150)} has no finding`, async () =>
    assert.equal(await auditedFiles({ [file]: content }), []));

test('what both parsers read is found once, at its position', async () => {
  const found = await auditedFiles({
    'a.xhtml': page('\n<p title="x" onclick="eval(1)">a</p>\n<script>eval(2)</script>'),
  });
  assert.equal(
    found.map(({ code, line, column }) => [code, line, column]),
    [
      ['inline_handler', 3, 14],
      ['eval', 3, 14],
      ['eval', 4, 9],
    ],
  );
});

test('what only the XML parser reads is found at its position', async () => {
  const found = await auditedFiles({
    'a.xhtml': page('<textarea/>\n<p title="onclick" onclick="eval(1)">a</p>\n<script>eval(2)</script>\n<b></i>'),
  });
  assert.equal(
    found.map(({ code, line, column }) => [code, line, column]),
    [
      ['inline_handler', 3, 20],
      ['eval', 3, 20],
      ['eval', 4, 9],
      ['xml_malformed', 5, 8],
    ],
  );
});

test.run();
