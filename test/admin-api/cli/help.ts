/** What every command prints for --help. */
import * as assert from 'uvu/assert';
import { run } from './harness.ts';

/** All commands as their words, with what they print. */
export async function allHelp(words: readonly string[] = []): Promise<Map<string, string>> {
  const { code, stdout } = await run([...words, '--help']);
  assert.is(code, 0, words.join(' '));
  const all = new Map([[words.join(' '), stdout]]);
  const lists = stdout.slice(0, stdout.indexOf('\nExamples:')).split(/^(?:Options|Global Options):$/m);
  const named = lists.flatMap((list) => [...list.matchAll(/^ {2}([a-z][a-z-]*)(?= |$)/gm)]);
  if (!/^Usage: waypost.* \[command\]/.test(stdout)) return all;
  for (const [, name] of named)
    if (name !== 'help') for (const entry of await allHelp([...words, name])) all.set(...entry);
  return all;
}

/** The examples of a help, without what some have as a comment behind them. */
export const examplesOf = (help: string): string[] =>
  [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example]) => example.replace(/ {3,}.*$/, ''));
