/** The licences of what a release has: of the packages, and of what is in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages, type Target } from './packages.ts';

const LICENCE = /^(?:licen[cs]e|copying|notice)(?!.*\.[cm]?[jt]s$)/i;

/** Each text once, after the names that it is for. `others`: texts by name. */
export function licenceTexts(folder: string, target: Target, others: Readonly<Record<string, string>>): string {
  const namesByText = new Map<string, string[]>();
  const add = (name: string, text: string): void => {
    namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
  };
  for (const { name, version, path } of shippedPackages(folder, target)) {
    const texts = licencesIn(join(folder, path));
    if (texts.size === 0) add(`${name} ${version}`, declaredLicence(join(folder, path)));
    for (const text of texts) add(`${name} ${version}`, text);
  }
  for (const [name, text] of Object.entries(others)) add(name, text.trim());
  return [...namesByText]
    .map(([text, names]) => `${names.sort().join(', ')}:\n\n${text}\n`)
    .sort()
    .join('\n');
}

/** Not of packages inside the package, which are packages of their own. */
function licencesIn(folder: string): Set<string> {
  const texts = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') for (const text of licencesIn(path)) texts.add(text);
    if (entry.isFile() && LICENCE.test(entry.name)) texts.add(readFileSync(path, 'utf8').trim());
  }
  return texts;
}

/** Of a package without a file: what its package.json has. */
function declaredLicence(folder: string): string {
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license?: string };
  return `License: ${license ?? 'not declared'}`;
}
