/** Findings as SARIF 2.1.0 (OASIS), which editors and code hosts read. */
import type { Audit } from '../audit.ts';
import type { Finding, FindingType, Rule } from '../finding.ts';
import { RULES, type RuleCode } from '../rules.ts';
import { visible } from './text.ts';

const LEVELS: Readonly<Record<FindingType, string>> = { error: 'error', warning: 'warning', notice: 'note' };

/**
 * Returns a log with one run and the rules of its results. `version`: of Waypost. `rulesPage`: URL
 * of the rules page, if known.
 */
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
  shortDescription: { text: messageOf(`${title}.`) },
  fullDescription: { text: messageOf(about) },
  help: { text: messageOf(fix) },
  defaultConfiguration: { level: LEVELS[type] },
  properties: { review: review === true },
});

function resultOf({ type, code, message, fix, file, line, column, excerpt }: Finding, ruleIndex: number): object {
  const location = file !== null && {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      ...(line !== null && column !== null && { region: { startLine: line, startColumn: column } }),
      ...(line !== null && isWhole(excerpt) && { contextRegion: { startLine: line, snippet: { text: excerpt } } }),
    },
  };
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[type],
    message: { text: messageOf(`${message} ${fix}`) },
    locations: location === false ? [] : [location],
  };
}

/** A snippet must be the whole text of its region (3.30.13), so a shortened line has none. */
const isWhole = (excerpt: string | null): boolean => excerpt !== null && !/^…|…$/.test(excerpt);

/**
 * A plain text message (3.11.3). Doubles braces, which mark placeholders (3.11.5). Separates
 * brackets from parentheses, since viewers render even escaped links (3.11.6) as links.
 */
const messageOf = (text: string): string => visible(text).replace(/[{}]/g, '$&$&').replaceAll('](', '] (');

/**
 * A relative reference, even for an absolute path, which the audit rejects. Lone surrogates are not
 * valid in a URI and become U+FFFD.
 */
const uriOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/')
    .replace(/^\/+/, (slashes) => '%2F'.repeat(slashes.length));
