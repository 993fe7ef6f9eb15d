/** What is shown of an audit: text, SARIF, and the page of the rules. */
import { readFileSync } from 'node:fs';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { policyJson } from '../../../../../admin-api/miniapp/audit/policy/policy.ts';
import { rulesHtml, rulesMarkdown } from '../../../../../admin-api/miniapp/audit/report/rules-page.ts';
import { reportSarif } from '../../../../../admin-api/miniapp/audit/report/sarif.ts';
import { reportText } from '../../../../../admin-api/miniapp/audit/report/text.ts';
import { RULES, type RuleCode } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { audited } from '../corpus/audited.ts';
import { smallApp } from '../corpus/small-app.ts';

type Node = DefaultTreeAdapterTypes.Node;

function all(node: Node, tag: string): DefaultTreeAdapterTypes.Element[] {
  const own = 'tagName' in node && node.tagName === tag ? [node] : [];
  return 'childNodes' in node ? [...own, ...node.childNodes.flatMap((child) => all(child, tag))] : own;
}

const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';

const LONG = `const a = '${'x'.repeat(200)}'; eval(a);`;
const faulty = smallApp({ 'app.js': `\tHost.storage.get('a');\n\t eval('1');\n${LONG}\n`, 'icon.png': undefined });

test('the text shows the line of a finding with a caret below its place', async () => {
  const text = reportText(await audited(faulty));
  assert.match(text, /^app\.js\n {2}2:3 {2}error /m);
  assert.match(text, /\n {6}eval\('1'\);\n {6}\^\n/);
  const [, before, caret] = /\n {6}(.*)eval\(a\);\n {6}( *\^)\n/.exec(text)!;
  assert.is(caret.length - 1, before.length);
  assert.match(text, /\d+ errors?, \d+ warnings?, \d+ notices?\. It would be rejected\.\n$/);
  assert.not.ok(text.includes('\x1b'));
});

test('colours are optional, and no content of the package controls the terminal', async () => {
  const audit = await audited(smallApp({ 'app.js': "Host.storage.get('a'); eval('\x1b[2J\u009b\u202e');\n" }));
  for (const char of '\x1b\u009b\u202e') assert.not.ok(reportText(audit).includes(char));
  assert.ok(reportText(audit, { color: true }).includes('\x1b[31merror\x1b[0m'));
});

test('a package without a fault has one line', async () => {
  assert.is(reportText(await audited(smallApp())), '0 errors, 0 warnings, 0 notices. It would be approved.\n');
});

test('rules in SARIF lead to the page of rules where one is known', async () => {
  const audit = await audited(faulty);
  const rulesOf = (page?: string): { id: string; helpUri?: string }[] =>
    JSON.parse(JSON.stringify(reportSarif(audit, '1.2.3', page))).runs[0].tool.driver.rules;
  for (const { id, helpUri } of rulesOf('https://dev.example/api/dev/rules'))
    assert.is(helpUri, `https://dev.example/api/dev/rules#${id}`);
  assert.ok(rulesOf().every((rule) => !('helpUri' in rule)));
});

test('the page in HTML has each rule at its code, and the texts of rules as text', () => {
  const tree = parse(rulesHtml());
  const sections = all(tree, 'section');
  assert.equal(
    sections.map((section) => section.attrs.find(({ name }) => name === 'id')?.value),
    Object.keys(RULES).sort(),
  );
  for (const section of sections) {
    const [, title, about, fix] = section.childNodes.filter((node) => 'tagName' in node).map(textOf);
    const rule = RULES[section.attrs[0].value as RuleCode];
    assert.ok(title.endsWith(`: ${rule.title}.`));
    assert.equal([about, fix], [rule.about, `Instead: ${rule.fix}`]);
  }
});

test('config/package-rules.md matches the rules', () => {
  const page = readFileSync('config/package-rules.md', 'utf8');
  assert.is(page, rulesMarkdown(), 'npm run package-rules writes it');
  for (const code of Object.keys(RULES)) assert.ok(page.includes(`## ${code}\n`));
});

test('config/sandbox-policy.json is the policy of the platform', () => {
  assert.is(readFileSync('config/sandbox-policy.json', 'utf8'), policyJson(), 'npm run package-rules writes it');
  assert.is(
    JSON.parse(policyJson()).content_security_policy,
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; worker-src 'self'",
  );
});

test.run();
