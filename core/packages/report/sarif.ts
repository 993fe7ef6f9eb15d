/** The findings in SARIF 2.1.0 (OASIS), which editors and code hosts read. */
import type { Audit } from '../audit.ts';
import type { Finding, FindingType, Rule } from '../finding.ts';
import { RULES, type RuleCode } from '../rules.ts';

const LEVELS: Readonly<Record<FindingType, string>> = { error: 'error', warning: 'warning', notice: 'note' };

/** One run, with the rules that its results name. `version`: of Waypost. `rulesPage`: the URL of the page of rules, where one is known. */
export function reportSarif({ findings }: Pick<Audit, 'findings'>, version: string, rulesPage?: string): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const rules = codes.map((code) => ({
    ...ruleOf(code, RULES[code as RuleCode]),
    ...(rulesPage !== undefined && { helpUri: `${rulesPage}#${code}` }),
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'waypost', version, rules } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  };
}

const ruleOf = (id: string, { type, review, title, about, fix }: Rule): object => ({
  id,
  shortDescription: { text: `${title}.` },
  fullDescription: { text: about },
  help: { text: fix },
  defaultConfiguration: { level: LEVELS[type] },
  properties: { review: review === true },
});

function resultOf({ type, code, message, fix, file, line, column, excerpt }: Finding, ruleIndex: number): object {
  const region =
    line === null || column === null
      ? undefined
      : { startLine: line, startColumn: column, ...(excerpt !== null && { snippet: { text: excerpt } }) };
  const location = file !== null && {
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...(region !== undefined && { region }) },
  };
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[type],
    message: { text: `${message} ${fix}` },
    locations: location === false ? [] : [location],
  };
}

/** Lone surrogates, which no URI has, become U+FFFD. */
const uriOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
