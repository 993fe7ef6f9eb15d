/** The syntax of knot.conf: the part of YAML that Knot DNS reads. */
import { Includes } from './include.ts';
import { type ConfigFile, type ConfigFiles, type Finding, invalidConfig, type Position } from './source.ts';

/** The settings of one item of a section, or of a section without items. */
export interface Item {
  readonly section: string;
  readonly at: Position;
  readonly settings: ReadonlyMap<string, readonly string[]>;
}

interface OpenItem extends Item {
  readonly settings: Map<string, string[]>;
  readonly indent: number;
}

/** The items of a file and of the files that it includes, in order. */
export function readKnot(main: ConfigFile, files: ConfigFiles, findings: Finding[]): Item[] {
  const items: Item[] = [];
  readFile(main, new Includes(files, findings), items, 0);
  return items;
}

function readFile({ file, text }: ConfigFile, includes: Includes, items: Item[], depth: number): void {
  let section = '';
  let item: OpenItem | undefined;
  let last: string[] | undefined;
  const lines = text.replace(/^\ufeff/, '').split('\n');
  for (let i = 0; i < lines.length; i++) {
    const at: Position = { file, line: i + 1 };
    let line = withoutComment(lines[i].replace(/\r$/, ''));
    if (line.trim() === '') continue;
    if (/^---|^%YAML/.test(line)) continue;
    // A list may continue on further lines until its closing bracket.
    while (isOpenList(line) && i + 1 < lines.length) line += ` ${withoutComment(lines[++i]).trim()}`;
    if (isOpenList(line)) throw invalidConfig(at, 'the list has no end; write "]" after it');
    if (/^ *\t/.test(line)) line = line.replace(/\t/g, '        ');
    const parsed = /^( *)(- *)?([A-Za-z0-9_-]+)\s*:(?:\s+(.*))?$/.exec(line);
    if (parsed === null) {
      const entry = /^ *- *(\S.*)$/.exec(line);
      if (entry === null || last === undefined)
        throw invalidConfig(at, `"${line.trim().slice(0, 80)}" is not understood; write "NAME: VALUE"`);
      last.push(...valuesOf(entry[1], at));
      continue;
    }
    const [, spaces, dash, key, rest = ''] = parsed;
    const values = valuesOf(rest, at);
    const indent = spaces.length;
    if (indent === 0 && dash === undefined) {
      item = undefined;
      last = undefined;
      section = key;
      if (key === 'include')
        for (const path of values)
          for (const included of includes.open(path, at, depth)) readFile(included, includes, items, depth + 1);
      continue;
    }
    if (section === '') throw invalidConfig(at, `the setting "${key}" is in no section`);
    if (dash !== undefined || item === undefined) {
      item = { section, at, settings: new Map(), indent };
      items.push(item);
    }
    const earlier = item.settings.get(key);
    if (earlier === undefined) item.settings.set(key, values);
    else earlier.push(...values);
    last = item.settings.get(key);
  }
}

/** A "#" starts a comment outside of quotes, after a space or at the start. */
function withoutComment(line: string): string {
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '\\' && isQuoted) i++;
    else if (line[i] === '"') isQuoted = !isQuoted;
    else if (line[i] === '#' && !isQuoted && (i === 0 || /[\s[\],]/.test(line[i - 1]))) return line.slice(0, i);
  }
  return line;
}

const isOpenList = (line: string): boolean => {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"/g, '');
  return /:\s*\[/.test(bare) && !bare.includes(']');
};

function valuesOf(text: string, at: Position): string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (!trimmed.startsWith('[')) return [readValue(trimmed, at)];
  const inner = trimmed.replace(/^\[/, '').replace(/\]$/, '');
  const parts = inner.match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => readValue(part, at));
}

function readValue(text: string, at: Position): string {
  if (!/^["']/.test(text)) return text;
  if (text.length < 2 || text.at(-1) !== text[0])
    throw invalidConfig(at, `the string has no end; write "${text[0]}" after it`);
  const inner = text.slice(1, -1);
  return text[0] === '"' ? inner.replace(/\\(.)/g, '$1') : inner;
}
