/** Findings as text for a terminal: by file, each with its line and a caret below the position. */
import type { Audit, Verdict } from '../audit.ts';
import type { Finding, FindingType } from '../finding.ts';
import type { FindingsSummary } from '../findings.ts';

export interface TextOptions {
  /** Adds terminal colours. */
  readonly color?: boolean;
}

const COLOR: Readonly<Record<FindingType | 'dim' | 'bold', string>> = {
  error: '31',
  warning: '33',
  notice: '36',
  dim: '2',
  bold: '1',
};

const VERDICTS: Readonly<Record<Verdict, string>> = {
  approved: 'It would be approved.',
  in_review: 'A person would have to look at it before it is approved.',
  rejected: 'It would be rejected.',
};

/** The last line has the counts and the verdict. Lines end with LF. */
export function reportText(
  { findings, summary, verdict }: Pick<Audit, 'findings' | 'summary' | 'verdict'>,
  options: TextOptions = {},
): string {
  const lines = findingLines(findings, options);
  if (lines.length > 0) lines.push('');
  lines.push(`${countsText(summary)}. ${VERDICTS[verdict]}`);
  return `${lines.join('\n')}\n`;
}

/** The lines, without line ends. */
export function findingLines(findings: readonly Finding[], { color = false }: TextOptions = {}): string[] {
  const paint = (text: string, style: keyof typeof COLOR): string =>
    color ? `\x1b[${COLOR[style]}m${text}\x1b[0m` : text;
  const lines: string[] = [];
  let file: string | null | undefined;
  for (const finding of findings) {
    if (finding.file !== file) {
      if (file !== undefined) lines.push('');
      lines.push(paint(finding.file === null ? 'the package' : visible(finding.file), 'bold'));
      file = finding.file;
    }
    const where = finding.line === null ? '' : `${finding.line}:${finding.column}  `;
    lines.push(
      `  ${where}${paint(finding.type, finding.type)}  ${visible(finding.message)}  ${paint(finding.code, 'dim')}`,
    );
    lines.push(...excerptOf(finding).map((line) => `      ${paint(line, 'dim')}`));
    lines.push(`      ${visible(finding.fix)}`);
  }
  return lines;
}

export function countsText({ errors, warnings, notices, review, omitted }: FindingsSummary): string {
  const counts = [count(errors, 'error'), count(warnings, 'warning'), count(notices, 'notice')].join(', ');
  const parts = [
    ...(review > 0 ? [`${review} for a person to look at`] : []),
    ...(omitted > 0 ? [`${omitted} not listed`] : []),
  ];
  return parts.length === 0 ? counts : `${counts} (${parts.join(', ')})`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Characters before the position in an excerpt that starts with an ellipsis. */
const BEFORE = 41;

/** The line and a caret. Escapes before the position move the caret to the right; tabs are kept. */
function excerptOf({ excerpt, column }: Finding): string[] {
  if (excerpt === null || excerpt.trim() === '' || column === null) return [];
  const at = excerpt.startsWith('…') ? BEFORE : column - 1;
  const before = visible(excerpt.slice(0, at));
  if (at > excerpt.length) return [visible(excerpt)];
  const indent = /^[ \t]*/.exec(excerpt)![0].length;
  const cut = Math.min(indent, at);
  return [visible(excerpt).slice(cut), `${before.slice(cut).replace(/[^\t]/g, ' ')}^`];
}

/**
 * Escapes control characters, bidirectional marks and invisible characters for output on a
 * terminal. Keeps tabs.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) =>
    char === '\t' ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}
