/** Cases of the rules about markup and style sheets. */
import type { CorpusCase } from './corpus-case.ts';
import { smallApp } from './small-app.ts';

const page = (body: string, more: Readonly<Record<string, string | Uint8Array>> = {}): ReturnType<typeof smallApp> =>
  smallApp({
    'index.html': `<!doctype html><meta charset="utf-8"><script src="host-sdk.js"></script><script src="app.js"></script>${body}`,
    ...more,
  });

const both = (code: CorpusCase['code'], triggers: string, nearMiss: string): CorpusCase => ({
  code,
  triggers: page(triggers),
  nearMiss: page(nearMiss),
});

const image = (content: string): ReturnType<typeof smallApp> => smallApp({ 'a.svg': content });

const style = (css: string, more: Readonly<Record<string, string>> = {}): ReturnType<typeof smallApp> =>
  page('<link rel="stylesheet" href="app.css">', { 'app.css': css, ...more });

export const MARKUP_CASES: readonly CorpusCase[] = [
  both('base_element', '<base href="/x/">', '<p>base</p>'),
  both('import_map', '<script type="importmap">{}</script>', '<script type="application/json">{}</script>'),
  both('inline_handler', '<p onclick="go()">', '<p title="onclick=">'),
  both(
    'meta_refresh',
    '<meta http-equiv="refresh" content="0; url=a.html">',
    '<meta name="refresh" content="0; url=a.html">',
  ),
  both(
    'csp_loosened',
    `<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'unsafe-eval'">`,
    `<meta http-equiv="Content-Security-Policy" content="script-src 'self'; img-src *">`,
  ),
  both(
    'csp_unsafe_inline',
    `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">`,
    `<meta http-equiv="Content-Security-Policy" content="style-src 'unsafe-inline'">`,
  ),
  {
    code: 'foreign_object',
    triggers: image('<svg><foreignObject><p>x</p></foreignObject></svg>'),
    nearMiss: image('<svg><g/></svg>'),
  },
  {
    code: 'animated_url',
    triggers: image('<svg><a><animate attributeName="href" to="#b"/></a></svg>'),
    nearMiss: image('<svg><animate attributeName="width" to="2"/></svg>'),
  },
  {
    code: 'xml_entities',
    triggers: image('<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>'),
    nearMiss: image('<svg>&amp;</svg>'),
  },
  {
    code: 'xml_stylesheet',
    triggers: image('<?xml-stylesheet href="a.xsl"?><svg/>'),
    nearMiss: image('<?xml version="1.0"?><svg/>'),
  },
  both('markup_too_deep', '<i>'.repeat(600), '<i></i>'.repeat(600)),
  {
    code: 'xml_hidden_markup',
    triggers: smallApp({
      'page.xhtml':
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title><script>go()</script></title></head></html>',
    }),
    nearMiss: smallApp({
      'page.xhtml':
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a &amp; b</title><script>//<![CDATA[\nfor (let i = 0; i<1 && i<b; i++);//]]></script></head></html>',
    }),
  },
  {
    code: 'charset_not_utf8',
    triggers: smallApp({ 'page.html': '<meta charset="utf-7">' }),
    nearMiss: smallApp({ 'page.html': '<meta charset="UTF-8">' }),
  },
  both('remote_style', '<link rel="stylesheet" href="//example.com/a.css">', '<a href="//example.com/a.css">x</a>'),
  both('remote_resource', '<img src="https://example.com/a.png">', '<img src="data:image/png;base64,AA">'),
  both(
    'remote_link',
    '<link rel="preconnect" href="https://example.com">',
    '<link rel="author" href="https://example.com">',
  ),
  both('style_missing', '<link rel="stylesheet" href="no.css">', '<style>p { color: red }</style>'),
  both('resource_missing', '<img src="Icon.png">', '<img src="icon.png#a"><a href="#top">x</a>'),
  {
    code: 'sdk_not_loaded',
    triggers: smallApp({ 'index.html': '<script src="app.js"></script>' }),
    nearMiss: smallApp({ 'index.html': '<script src="host-sdk.js"></script><script src="app.js"></script>' }),
  },
  {
    code: 'style_code',
    triggers: style('p { width: expres\\73ion(1) }'),
    nearMiss: style('p { content: "expression(1)" }'),
  },
  { code: 'style_syntax', triggers: style('p { color red }'), nearMiss: style('p { color: red }') },
  {
    code: 'style_too_large',
    triggers: style('@media x{'.repeat(20_000)),
    nearMiss: style('@media x { a { b { color: red } } }'),
  },
];
