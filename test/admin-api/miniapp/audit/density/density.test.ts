/** What minifiers write is a notice and no more; what obfuscators write goes to a person. */
import { buildSync } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditDensity } from '../../../../../admin-api/miniapp/audit/density/density.ts';
import { SourceText } from '../../../../../admin-api/miniapp/audit/source-text.ts';
import { codesOf, contextOf } from '../web/audited.ts';

function codes(text: string): readonly string[] {
  const context = contextOf({});
  auditDensity(new SourceText('app.js', text), 'script', context);
  return codesOf(context.findings.list());
}

for (const name of ['acorn', 'parse5', 'fast-check', 'commander'])
  test(`${name}, bundled and minified, is minified and nothing else`, () => {
    const options = { bundle: true, minify: true, write: false, format: 'iife', platform: 'node' } as const;
    const { outputFiles } = buildSync({ ...options, stdin: { contents: `export * from '${name}'`, resolveDir: '.' } });
    assert.equal(codes(outputFiles[0].text), ['minified']);
  });

const OBFUSCATED: Readonly<Record<string, string>> = {
  JSFuck: '[][(![]+[])[+[]]+(![]+[])[!+[]+!+[]]]'.repeat(20),
  JJEncode: '$=~[];$={___:++$,$$$$:(![]+"")[$]};'.replace(/[a-z]/g, '').repeat(40),
  escapes: `var a = "${'\\x61\\x6c\\x65\\x72\\x74'.repeat(60)}";`,
  'a turned table': "(function(a,b){while(!![]){try{break}catch(c){a['push'](a['shift']())}}})(t,1);",
  'character codes': `String.fromCharCode(${Array.from({ length: 150 }, (_, i) => 65 + (i % 26)).join(',')});`,
  packer: 'eval(function(p,a,c,k,e,d){return p}("",1,1,"".split("|"),0,{}))',
};

for (const [name, text] of Object.entries(OBFUSCATED))
  test(`${name} is obfuscated`, () => assert.ok(codes(text).includes('obfuscated')));

test('tables of numbers, escapes of non-letters and hashes in names are not obfuscated', () => {
  const table = `var crc = [${Array.from({ length: 256 }, (_, i) => (i * 2654435761) >>> 0).join(', ')}];`;
  const bytes = `var box = [${Array.from({ length: 256 }, (_, i) => i).join(', ')}]; String.fromCharCode(box[1]);`;
  const escapes = `var a = "${'\\x00\\x01\\u2028'.repeat(100)}";`;
  for (const text of [table, bytes, escapes, 'var _0x1234, _0xabcd;'])
    assert.not.ok(codes(text).includes('obfuscated'), text);
});

test.run();
