/** The page of all rules: config/package-rules.md. */
import type { Rule } from '../finding.ts';
import { RULES } from '../rules.ts';

const HEAD = `# Rules of developer packages

What the audit of a package looks for, by the codes of its findings. An **error** rejects the package. A rule *for review* asks for a person to look before
it is approved; other **warnings** and **notices** are told only. Written from the table of rules in core/packages by \`npm run package-rules\`.

`;

/** Markdown, the rules by their codes. */
export function rulesPage(): string {
  const rules = Object.entries(RULES as Readonly<Record<string, Rule>>).sort(([a], [b]) => (a < b ? -1 : 1));
  return HEAD + rules.map(([code, rule]) => section(code, rule)).join('\n');
}

const section = (code: string, { type, review, title, about, fix }: Rule): string =>
  `## ${code}\n\n**${type}**${review ? ', *for review*' : ''}: ${text(title)}.\n\n${text(about)}\n\nInstead: ${text(fix)}\n`;

/** Only what Markdown or HTML would take for its own. */
const text = (plain: string): string => plain.replace(/[\\`*_[\]<>|]/g, '\\$&');
