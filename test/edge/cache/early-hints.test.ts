/** Which links of a page become early hints. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { earlyHintFields } from '../../../edge/cache/early-hints.ts';

const CSS = '</a.css>; rel=preload; as=style';

const ROWS: readonly (readonly [name: string, values: readonly string[], hint: string])[] = [
  ['preload', [CSS], CSS],
  ['preconnect', ['<https://cdn.example>; rel=preconnect'], '<https://cdn.example>; rel=preconnect'],
  ['modulepreload', ['</m.js>; rel=modulepreload'], '</m.js>; rel=modulepreload'],
  ['a quoted relation', ['</a.css>; rel="preload"; as=style'], '</a.css>; rel="preload"; as=style'],
  ['one of several relations', ['</a.css>; rel="next preload"'], '</a.css>; rel="next preload"'],
  ['upper case and blanks', ['</a.css> ; REL = PRELOAD'], '</a.css> ; REL = PRELOAD'],
  ['other relations', ['</2>; rel=next, </f>; rel="alternate"', '</x>; rel=preloaded'], ''],
  ['a relation in the title', ['</2>; rel=next; title="rel=preload"'], ''],
  ['a relation in a string', ['</2>; title="; rel=preload"; rel=next'], ''],
  ['a second relation', ['</2>; rel=next; rel=preload'], ''],
  ['a comma in the target', [`</a,b>; rel=preload, ${CSS}`], `</a,b>; rel=preload, ${CSS}`],
  ['no link', ['rel=preload, ;rel=preload'], ''],
  ['those among others', [`</2>; rel=next, ${CSS}`, '</b.js>; rel=preload'], `${CSS}, </b.js>; rel=preload`],
  ['no more than 32', Array.from({ length: 40 }, () => CSS), Array.from({ length: 32 }, () => CSS).join(', ')],
];

for (const [name, values, hint] of ROWS)
  test(name, () => {
    const fields = ['content-type', 'text/html', ...values.flatMap((value) => ['link', value])];
    assert.equal(earlyHintFields(fields), hint === '' ? [] : ['link', hint]);
  });

test.run();
