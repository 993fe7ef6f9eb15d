/**
 * What an approval says, held against readers and parsers that the audit does not use, or asks for
 * less.
 */
import { type Options, parse } from 'acorn';
import { parse as parseStyle } from 'css-tree';
import { type DefaultTreeAdapterTypes as Dom, parse as parsePage } from 'parse5';
import * as assert from 'uvu/assert';
import type { Audit } from '../../../../../admin-api/miniapp/audit/audit.ts';

export type Contents = ReadonlyMap<string, Buffer>;

/**
 * Milliseconds of CPU that an audit of a small package may take; it takes one or two. More is a
 * hang.
 */
const BOUND = 2000;

/** Runs an audit. Throws when it throws, or takes longer than anything of its size may. */
export async function bounded<T>(description: string, audit: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  try {
    return await audit();
  } catch (error) {
    throw new Error(`${description}: ${(error as Error).stack}`);
  } finally {
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < BOUND * 1000, `it took ${(user + system) / 1000} ms of CPU, ${description}`);
  }
}

/** As it is loaded, or, where that cannot be known, as a module. */
export function parsesAsScript(bytes: Buffer): boolean {
  const text = bytes.toString();
  const as = (sourceType: Options['sourceType']): boolean => {
    try {
      parse(text, { ecmaVersion: 'latest', sourceType });
      return true;
    } catch {
      return false;
    }
  };
  return as('script') || as('module');
}

/**
 * Of a style sheet that does not parse browsers take what they can read: it warns. Selectors are
 * newer than css-tree, so none are looked at.
 */
export function parsesAsStyle(bytes: Buffer): boolean {
  let errors = 0;
  parseStyle(bytes.toString(), {
    parseValue: false,
    parseRulePrelude: false,
    parseAtrulePrelude: false,
    onParseError: () => errors++,
  });
  return errors === 0;
}

/** Undefined: it is no manifest. */
export function manifestOf(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Classic scripts that stand in a page; without an end tag they do not run. */
export function scriptsIn(page: Buffer): string[] {
  const found: string[] = [];
  const visit = (node: Dom.Node): void => {
    if (node.nodeName === 'script') {
      const { attrs, childNodes, sourceCodeLocation } = node as Dom.Element;
      const isClassic = !attrs.some(({ name }) => name === 'type' || name === 'src' || name === 'language');
      if (isClassic && sourceCodeLocation?.endTag)
        found.push(childNodes.map((child) => (child as Dom.TextNode).value).join(''));
    }
    for (const child of 'childNodes' in node ? node.childNodes : []) visit(child);
  };
  visit(parsePage(page.toString(), { sourceCodeLocationInfo: true }));
  return found;
}

/** All that has to be so in a package that was approved. */
export function assertSound(
  files: Contents,
  { manifest, findings }: Pick<Audit, 'manifest' | 'findings'>,
  description: string,
) {
  const reported = manifestOf(files.get('manifest.json'));
  assert.ok(reported !== undefined, `manifest.json is not JSON, ${description}`);
  const { id, name, version, versionCode } = reported;
  assert.equal(
    manifest,
    { id: String(id).toLowerCase(), name, version, versionCode },
    `the manifest says something else, ${description}`,
  );
  for (const [path, bytes] of files) {
    if (path.endsWith('.js')) assert.ok(parsesAsScript(bytes), `${path} does not parse, ${description}`);
    if (path.endsWith('.css') && !parsesAsStyle(bytes))
      assert.ok(
        findings.some(({ file, code }) => file === path && code.startsWith('style_')),
        `${path} does not parse, and nothing tells of it, ${description}`,
      );
    if (path.endsWith('.html'))
      for (const script of scriptsIn(bytes))
        assert.ok(parsesAsScript(Buffer.from(script)), `a script in ${path} does not parse, ${description}`);
  }
}
