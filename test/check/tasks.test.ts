/**
 * docs/internals/background-tasks.md against the sources: the table of background tasks is
 * complete and true, and no other file than those of its second table calls setInterval.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT, readPage } from './docs/pages.ts';

/** What does not run in the daemon. */
const ELSEWHERE = /^admin-api\/(cli|dashboard|miniapp\/(simulator|templates|audit))\//;

const sources = ['core', 'admin-api', 'edge']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => path.endsWith('.ts') && !ELSEWHERE.test(path));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The rows of the tables below a heading, as the texts of their cells. */
function tableBelow(heading: string): string[][] {
  const { lines } = readPage('docs/internals/background-tasks.md');
  const begin = lines.findIndex(({ text }) => text === `## ${heading}`);
  const end = lines.findIndex(({ text }, i) => i > begin && text.startsWith('## '));
  return lines
    .slice(begin, end < 0 ? undefined : end)
    .flatMap(({ text }) => (text.startsWith('| `') ? [text.split('|').map((cell) => cell.trim())] : []));
}

/** Each `tasks.add` as `name owner`. */
function tasksOf(path: string): string[] {
  const text = textOf(path);
  return [...text.matchAll(/\btasks\.add\(\{([\s\S]*?)\brun\b/g)].map(([, options]) => {
    const name = /\bname: '([a-z-]+)'/.exec(options)?.[1] ?? /\bconst name = '([a-z-]+)';/.exec(text)?.[1];
    const owner = /\bowner: ([^,\n]+),/.exec(options)?.[1] ?? '';
    assert.ok(name !== undefined && owner !== '', `${path}: the name and the owner of a task are literals`);
    return `${name} ${[...owner.matchAll(/'(\w+)'/g)].map(([, each]) => each).sort()}`;
  });
}

test('docs/internals/background-tasks.md lists all tasks with their owners', () => {
  const listed = tableBelow('The tasks').map(
    ([, name, owner]) => `${name.slice(1, -1)} ${[...owner.matchAll(/`(\w+)`/g)].map(([, each]) => each).sort()}`,
  );
  assert.equal(sources.flatMap(tasksOf).sort(), listed);
});

test('nothing else calls setInterval', () => {
  const listed = tableBelow('Other timers').map(([, path]) => path.slice(1, -1));
  assert.equal(sources.filter((path) => /\bsetInterval\(/.test(textOf(path))).sort(), listed);
});

test.run();
