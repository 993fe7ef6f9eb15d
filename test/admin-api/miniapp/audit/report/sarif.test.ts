/**
 * SARIF of all that the corpus finds, held to the schema of SARIF 2.1.0 and to what the standard
 * asks for beyond it.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../../../admin-api/miniapp/audit/finding.ts';
import { reportSarif } from '../../../../../admin-api/miniapp/audit/report/sarif.ts';
import { RULES } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { ARCHIVE_CASES } from '../corpus/archive-cases.ts';
import { audited } from '../corpus/audited.ts';
import { BACKGROUND_CASES } from '../corpus/background-cases.ts';
import { DENSITY_CASES, SDK_CASES } from '../corpus/density-cases.ts';
import { MANIFEST_CASES } from '../corpus/manifest-cases.ts';
import { MARKUP_CASES } from '../corpus/markup-cases.ts';
import { SCRIPT_CASES } from '../corpus/script-cases.ts';
import { smallApp } from '../corpus/small-app.ts';

/** RFC 3986, section 4.1: the characters of a URI reference, and whole escapes. */
const REFERENCE = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-F]{2})*$/;
/** RFC 3986, section 3.1 */
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
ajv.addFormat('uri', (text) => SCHEME.test(text) && REFERENCE.test(text));
ajv.addFormat('uri-reference', REFERENCE);
ajv.addFormat('date-time', true);
// The schema that Microsoft's SARIF SDK for JavaScript has (MIT), of draft 4: `id` is all that
// later drafts say otherwise here.
const schema = JSON.parse(readFileSync('test/admin-api/miniapp/audit/report/sarif-2.1.0-rtm.5.json', 'utf8'));
const isValid = ajv.compile({ ...schema, $schema: undefined, id: undefined });

interface Region {
  readonly startLine: number;
  readonly startColumn?: number;
  readonly snippet?: { readonly text: string };
}

interface Log {
  readonly runs: readonly {
    readonly columnKind: string;
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region?: Region;
          readonly contextRegion?: Region;
        };
      }[];
    }[];
  }[];
}

const LEVELS = { error: 'error', warning: 'warning', notice: 'note' };

/** As it is written and read again. Sections are those of SARIF 2.1.0. */
function checked(findings: readonly Finding[]): Log['runs'][number] {
  const log = JSON.parse(
    JSON.stringify(reportSarif({ findings }, '1.2.3', 'https://dev.example/api/dev/rules')),
  ) as Log;
  assert.ok(isValid(log), JSON.stringify(isValid.errors?.slice(0, 3)));
  const [run] = log.runs;
  const { rules } = run.tool.driver;
  assert.is(run.columnKind, 'utf16CodeUnits');
  // 3.19.23: no two rules are the same; 3.52.3: an id names one.
  assert.is(new Set(rules.map(({ id }) => id)).size, rules.length);
  assert.is(run.results.length, findings.length);
  run.results.forEach(({ ruleId, ruleIndex, level, message, locations }, index) => {
    const { code, type, file, line, column, excerpt } = findings[index];
    // 3.27.5, 3.27.6
    assert.equal([ruleId, rules[ruleIndex].id, level], [code, code, LEVELS[type]]);
    // 3.11.5 and 3.11.6: nothing in a message is a placeholder or a link.
    assert.not.match(message.text.replaceAll('{{', '').replaceAll('}}', ''), /[{}]/);
    assert.not.ok(message.text.includes(']('));
    assert.is(locations.length, file === null ? 0 : 1);
    if (file === null) return;
    const { artifactLocation, region, contextRegion } = locations[0].physicalLocation;
    // 3.4.3: relative to the root of the package.
    assert.not.match(artifactLocation.uri, SCHEME);
    assert.not.ok(artifactLocation.uri.startsWith('/'));
    assert.is(decodeURIComponent(artifactLocation.uri), file.toWellFormed());
    assert.equal(region, line === null ? undefined : { startLine: line, startColumn: column });
    // 3.29.5: the line around it, whole.
    if (contextRegion === undefined) return;
    assert.is(contextRegion.startLine, line);
    assert.is(contextRegion.startColumn, undefined);
    assert.is(contextRegion.snippet?.text, excerpt);
  });
  return run;
}

test('findings of every rule are valid SARIF', async () => {
  const cases = [ARCHIVE_CASES, BACKGROUND_CASES, DENSITY_CASES, MANIFEST_CASES, MARKUP_CASES, SCRIPT_CASES, SDK_CASES];
  const seen = new Set<string>();
  for (const { triggers, sdks } of cases.flat()) {
    const { findings } = await audited(triggers, sdks);
    for (const { id } of checked(findings).tool.driver.rules) seen.add(id);
  }
  assert.ok(seen.size > Object.keys(RULES).length / 2);
});

test('nothing of a package is a link, a placeholder or another file', async () => {
  const names = [
    'a b.js',
    'ä%41.js',
    'x:y.js',
    'a#b?c.js',
    '[a](b).js',
    'sub/{0}.js',
    '\u{1f600}.js',
    '\ud800.js',
    'q\'"<>|^`.js',
  ];
  const script = 'eval("[click](https://example.com/) {0} \u202e\u009b[2J");\n';
  const { findings } = await audited(smallApp(Object.fromEntries(names.map((name) => [name, script]))));
  const { results } = checked(findings);
  assert.ok(results.length > names.length);
  for (const { message } of results) assert.not.match(message.text, /[\p{Cc}\p{Cf}]/u);
});

test('a line that was cut is no snippet', async () => {
  const { findings } = await audited(smallApp({ 'app.js': `${' '.repeat(300)}eval('1'); Host.storage.get('a');\n` }));
  assert.ok(findings.some(({ excerpt }) => excerpt?.startsWith('…')));
  for (const { locations } of checked(findings).results)
    for (const { physicalLocation } of locations)
      assert.not.match(physicalLocation.contextRegion?.snippet?.text ?? '', /^…/);
});

test.run();
