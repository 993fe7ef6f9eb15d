/** Comments and the prose of documents end by column 100. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './docs/pages.ts';

const COLUMNS = 100;

function filesIn(folder: string, endings: readonly string[]): string[] {
  return (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => `${folder}/${name}`);
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Lines of Markdown that are too long, without code, link targets, and rows of tables. */
function longLinesOfProse(text: string): number[] {
  const prose = text
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
    .replace(/\]\([^)\n]*\)/g, (link) => ' '.repeat(link.length))
    .split('\n');
  return prose.flatMap((line, index) =>
    line.length > COLUMNS && !line.startsWith('|') && /\s/.test(line.trim()) ? [index + 1] : [],
  );
}

/** Lines of comments that are too long. */
function longLinesOfComments(text: string): number[] {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext, true);
  const lines = text.split('\n');
  const long = new Set<number>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) {
      const first = source.getLineAndCharacterOfPosition(pos).line;
      const last = source.getLineAndCharacterOfPosition(end).line;
      for (let line = first; line <= last; line++) if (lines[line].length > COLUMNS) long.add(line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...long];
}

test('documents have lines of at most 100 columns', () => {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md'],
    ...filesIn('docs', ['.md']),
  ];
  assert.equal(
    documents.flatMap((path) => longLinesOfProse(read(path)).map((line) => `${path}:${line}`)),
    [],
  );
});

test('comments have lines of at most 100 columns', () => {
  const sources = ['core', 'admin-api', 'edge', 'bench', 'test'].flatMap((part) => filesIn(part, ['.ts', '.tsx']));
  assert.ok(sources.length > 1_000);
  assert.equal(
    [...sources, 'main.ts'].flatMap((path) => longLinesOfComments(read(path)).map((line) => `${path}:${line}`)),
    [],
  );
});

test('long lines are found', () => {
  const words = 'word '.repeat(21);
  assert.equal(longLinesOfProse(`short\n${words}\n\`\`\`\n${words}\n\`\`\`\n| ${words}|`), [2]);
  assert.equal(longLinesOfComments(`// ${words}\nconst text = '${words}';\n`), [1]);
});

test.run();
