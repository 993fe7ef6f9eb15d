/**
 * Generates the page of all rules, as Markdown (config/package-rules.md) and as HTML with an anchor
 * per code.
 */
import type { Rule } from '../finding.ts';
import { RULES } from '../rules.ts';

const TITLE = 'Rules of developer packages';
const ABOUT = 'What the audit of a package looks for, by the codes of its findings.';

const HEAD = `# ${TITLE}

${ABOUT} An **error** rejects the package. A rule *for review* asks for a person to look before
it is approved; other **warnings** and **notices** are for information. Written from the table of rules in admin-api/miniapp/audit by \`npm run package-rules\`.

`;

/** All rules, by their codes. */
export const rulesByCode = (): [string, Rule][] => Object.entries<Rule>(RULES).sort(([a], [b]) => (a < b ? -1 : 1));

export function rulesMarkdown(): string {
  const section = ([code, { type, review, title, about, fix }]: [string, Rule]): string =>
    `## ${code}\n\n**${type}**${review ? ', *for review*' : ''}: ${markdown(title)}.\n\n${markdown(about)}\n\nInstead: ${markdown(fix)}\n`;
  return HEAD + rulesByCode().map(section).join('\n');
}

/** Escapes only characters with a meaning in Markdown or HTML. */
const markdown = (plain: string): string => plain.replace(/[\\`*_[\]<>|]/g, '\\$&');

const HTML_HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${TITLE}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
h2 { font-family: ui-monospace, monospace; font-size: 1.1rem; margin: 2rem 0 0; }
h2 a { color: inherit; text-decoration: none; }
p { margin: 0.3rem 0; }
:target { border-left: 0.3rem solid; padding-left: 1rem; }
</style>
</head>
<body>
<h1>${TITLE}</h1>
<p>${ABOUT} An <strong>error</strong> rejects the package. A rule <em>for review</em> asks for a person to look before it is approved; other <strong>warnings</strong> and <strong>notices</strong> are for information.</p>
`;

export function rulesHtml(): string {
  const section = ([code, { type, review, title, about, fix }]: [string, Rule]): string =>
    `<section id="${code}">
<h2><a href="#${code}">${code}</a></h2>
<p><strong>${type}</strong>${review ? ', <em>for review</em>' : ''}: ${html(title)}.</p>
<p>${html(about)}</p>
<p>Instead: ${html(fix)}</p>
</section>
`;
  return `${HTML_HEAD}${rulesByCode().map(section).join('')}</body>\n</html>\n`;
}

const html = (plain: string): string => plain.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
