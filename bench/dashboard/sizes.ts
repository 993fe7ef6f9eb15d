/** Bytes of the dashboard after brotli. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figures.ts';

const FOLDER = fileURLToPath(new URL('../../dashboard/', import.meta.url));
/** KB of scripts of the first page. */
const GOAL = 80;

const kilobytes = (bytes: number): number => bytes / 1024;

export async function measureSizes(): Promise<Figure[]> {
  const assets = join(FOLDER, 'assets');
  const sizeOf = (name: string): number => statSync(join(assets, `${name}.br`)).size;
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  const first = [...page.matchAll(/\/assets\/([\w-]+\.js)/g)].map(([, name]) => name);
  const all = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const style = readdirSync(assets).filter((name) => name.endsWith('.css'));
  const sum = (names: readonly string[]): number => kilobytes(names.map(sizeOf).reduce((a, b) => a + b, 0));
  return [
    { name: 'scripts of the first page', value: sum([...new Set(first)]), unit: 'KB', goal: GOAL },
    { name: 'style sheet', value: sum(style), unit: 'KB' },
    { name: 'all scripts', value: sum(all), unit: 'KB' },
  ];
}
