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
  both(
    'markup_ambiguous',
    '<select><option>a<img src="icon.png"></select>',
    '<select><optgroup><option>a</optgroup></select><img src="icon.png">',
  ),
  both('script_unstarted', '<script id="later"></script>', '<script>go();</script>'),
  both(
    'script_unstarted',
    '<template><script>go();</script></template>',
    '<template><p></p></template><script src="app.js"></script>',
  ),
  {
    code: 'script_element',
    triggers: page('<script id="row" type="text/template"></script>', {
      'app.js': 'const row = document.getElementById("row");\nrow.type = "";\nrow.text = load();',
    }),
    nearMiss: page('<script id="row" type="text/template"></script>', {
      'app.js': 'const row = document.createElement("input");\nrow.type = load();',
    }),
  },
  {
    code: 'style_code',
    triggers: page('<link rel="stylesheet" href="theme.txt">', { 'theme.txt': 'p { behavior: url(a) }' }),
    nearMiss: page('<a href="theme.txt">x</a>', { 'theme.txt': 'p { behavior: url(a) }' }),
  },
  {
    code: 'style_code',
    triggers: page('<style>@import "data:text/css;base64,cHtiZWhhdmlvcjp1cmwoYSl9";</style>'),
    nearMiss: page('<style>p { background: url("data:text/css;base64,cHtiZWhhdmlvcjp1cmwoYSl9") }</style>'),
  },
  {
    code: 'style_code',
    triggers: page('<script type="module">import sheet from "./theme.txt" with { type: "css" };</script>', {
      'theme.txt': 'p { behavior: url(a) }',
    }),
    nearMiss: page('<script type="module">import text from "./theme.json" with { type: "json" };</script>', {
      'theme.json': '"p { behavior: url(a) }"',
    }),
  },
  {
    code: 'eval',
    triggers: page('<noscript><p title="</noscript><script>eval(1)</script>"></noscript>'),
    nearMiss: page('<noscript><p title="<script>eval(1)</script>"></p></noscript>'),
  },
  {
    code: 'script_syntax',
    triggers: page('<script src="?again"></script>'),
    nearMiss: page('<script src="app.js?again"></script>'),
  },
  {
    code: 'eval',
    triggers: smallApp({
      notes: '<?xml version="1.0"?><x:a xmlns:x="http://www.w3.org/1999/xhtml"><x:script>eval(1)</x:script></x:a>',
    }),
    nearMiss: smallApp({
      'notes.txt':
        '<?xml version="1.0"?><x:a xmlns:x="http://www.w3.org/1999/xhtml"><x:script>eval(1)</x:script></x:a>',
    }),
  },
  {
    code: 'xml_hidden_markup',
    triggers: smallApp({
      'page.xhtml':
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="app.js"/><script>eval(1)</script></head></html>',
    }),
    nearMiss: smallApp({
      'page.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="app.js"></script></head></html>',
    }),
  },
  {
    code: 'xml_entities',
    triggers: image('<!DOCTYPE svg [<!ATTLIST g onclick CDATA "eval(1)">]><svg><g/></svg>'),
    nearMiss: image('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg><g/></svg>'),
  },
  // In a module what HTML-like comments hide is code.
  {
    code: 'eval',
    triggers: page('<script src="both.js"></script><script type="module" src="both.js"></script>', {
      'both.js': '0\n<!--x[eval(1)]\n',
    }),
    nearMiss: page('<script src="both.js"></script>', { 'both.js': '0\n<!--x[eval(1)]\n' }),
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
    code: 'xml_malformed',
    triggers: image('<svg><g></svg>'),
    nearMiss: image('<svg><g/></svg>'),
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
