/**
 * The documents for users, README.md, docs/*.md and docs/mini-apps/*.md, as the tests read them.
 *
 * Commands stand in blocks of ```sh. A line that begins with "$ " is a command; it goes on over a
 * backslash at the end of a line and over a here-document. The lines below it, up to the next
 * command, are its output: "…" within a line stands for any text, and a line "…" for any lines. A
 * command without such lines may print anything.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder; compiled tests are in dist/test/check/docs. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Its commands change a machine, so test/system/docs/going-live.test.ts runs them on its own. */
export const GOING_LIVE = 'docs/going-live.md';

export interface DocLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

export interface Block {
  readonly language: string;
  readonly line: number;
  readonly lines: readonly DocLine[];
}

export interface Command {
  readonly line: number;
  /** Without "$ "; of several lines where it goes on. */
  readonly text: string;
  readonly output: readonly string[];
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Page {
  /** From the project's folder, such as "docs/dns.md". */
  readonly path: string;
  readonly lines: readonly DocLine[];
  /** All lines but those of blocks. */
  readonly prose: readonly DocLine[];
  readonly blocks: readonly Block[];
  readonly commands: readonly Command[];
  readonly links: readonly Link[];
  /** What a link may name behind "#". */
  readonly anchors: ReadonlySet<string>;
}

/** Those for users. */
export function readPages(): Page[] {
  return ['README.md', ...['docs', 'docs/mini-apps'].flatMap(markdownIn)].map(readPage);
}

/** Those for developers, too. */
export function readAllPages(): Page[] {
  return [
    ...markdownIn('.'),
    ...['docs', 'docs/internals', 'docs/mini-apps', 'bench', 'config'].flatMap(markdownIn),
  ].map(readPage);
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => join(folder, name));
}

export function readPage(path: string): Page {
  const lines = readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .map((text, i) => ({ text, number: i + 1 }));
  const { blocks, prose } = takeBlocks(lines, path);
  return {
    ...{ path, lines, prose, blocks, links: takeLinks(prose), anchors: takeAnchors(prose) },
    get commands() {
      return blocks.filter(({ language }) => language === 'sh').flatMap((block) => takeCommands(block, path));
    },
  };
}

function takeBlocks(lines: readonly DocLine[], path: string): { blocks: Block[]; prose: DocLine[] } {
  const blocks: Block[] = [];
  const prose: DocLine[] = [];
  let open: { language: string; line: number; indent: number; lines: DocLine[] } | null = null;
  for (const { text, number } of lines) {
    const fence = /^( *)```(\w*)/.exec(text);
    if (fence === null && open === null) prose.push({ text, number });
    else if (fence === null) open?.lines.push({ text: text.slice(open.indent), number });
    else if (open === null) open = { language: fence[2], line: number, indent: fence[1].length, lines: [] };
    else {
      blocks.push(open);
      open = null;
    }
  }
  if (open !== null) throw new Error(`${path}:${open.line}: the block has no end`);
  return { blocks, prose };
}

function takeCommands({ lines }: Block, path: string): Command[] {
  const commands: { line: number; text: string; output: string[] }[] = [];
  let endOfText: string | null = null;
  let isContinued = false;
  for (const { text, number } of lines) {
    const last = commands.at(-1);
    if (last !== undefined && (isContinued || endOfText !== null)) last.text += `\n${text}`;
    else if (text.startsWith('$ ')) commands.push({ line: number, text: text.slice(2), output: [] });
    else if (last === undefined) throw new Error(`${path}:${number}: a block of sh begins with a command ("$ …")`);
    else last.output.push(text);
    isContinued = endOfText === null && text.endsWith('\\');
    if (endOfText === null) endOfText = /<<'(\w+)'/.exec(text)?.[1] ?? null;
    else if (text === endOfText) endOfText = null;
  }
  return commands;
}

function takeLinks(prose: readonly DocLine[]): Link[] {
  return prose.flatMap(({ text, number }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ target, line: number })),
  );
}

/** As GitHub makes them of headings. */
function takeAnchors(prose: readonly DocLine[]): Set<string> {
  const anchors = new Set<string>();
  for (const { text } of prose) {
    const heading = /^#+ (.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-');
    let unique = slug;
    for (let n = 1; anchors.has(unique); n++) unique = `${slug}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Pieces of code within the prose, such as `dns.listen`. */
export function inlineCode(prose: readonly DocLine[]): { code: string; line: number }[] {
  return prose.flatMap(({ text, number }) =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => ({ code, line: number })),
  );
}
