/**
 * Writes the files of the templates of `waypost pkg init`. Each app has one source in TypeScript.
 * Its JavaScript form is the same text without types, so that it keeps comments and blank lines;
 * the built form is what `npm run build` makes in a TypeScript project.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import { build } from 'esbuild';
import { PROJECT_FOLDER, TEMPLATES, TYPESCRIPT_FOLDER } from '../../admin-api/miniapp/templates/templates.ts';

const SOURCE = 'app.ts';

/** `sources`: the folder admin-api/miniapp/templates. Replaces each folder of `outs`. */
export async function bundleTemplates(sources: string, outs: readonly string[]): Promise<void> {
  const files = new Map<string, string | Uint8Array>();
  const addFolder = (from: string, to: string): void => {
    for (const name of readdirSync(join(sources, from)))
      if (name !== SOURCE) files.set(join(to, name), readFileSync(join(sources, from, name)));
  };
  addFolder(PROJECT_FOLDER, PROJECT_FOLDER);
  for (const name of Object.keys(TEMPLATES)) {
    addFolder('apps/shared', name);
    addFolder(`apps/${name}`, name);
    const source = readFileSync(join(sources, 'apps', name, SOURCE), 'utf8');
    files.set(join(name, 'app.js'), withoutTypes(source));
    files.set(join(TYPESCRIPT_FOLDER, `${name}.ts`), source);
    files.set(join(TYPESCRIPT_FOLDER, `${name}.js`), await built(source));
  }
  const [first, ...others] = outs;
  for (const out of outs) rmSync(out, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(join(first, path, '..'), { recursive: true });
    writeFileSync(join(first, path), content);
  }
  for (const out of others) cpSync(first, out, { recursive: true });
}

/** As the script `build` of project/package.json. */
async function built(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: 'src/app.ts', loader: 'ts' },
    bundle: true,
    charset: 'utf8',
    target: 'es2020',
    // Of project/tsconfig.json, which esbuild reads: adds "use strict".
    tsconfigRaw: { compilerOptions: { strict: true } },
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** Deletes annotations, assertions with `as`, interfaces and type aliases. */
function withoutTypes(source: string): string {
  const tree = ts.createSourceFile(SOURCE, source, ts.ScriptTarget.Latest, true);
  const deleted: [start: number, end: number][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      // With the comment of the declaration, but without that of the file.
      const before = source.slice(node.pos, node.getStart());
      deleted.push([node.pos + Math.max(0, before.lastIndexOf('\n\n')), node.end]);
      return;
    }
    if (ts.isParenthesizedExpression(node) && ts.isAsExpression(node.expression))
      deleted.push([node.getStart(), node.expression.getStart()], [node.expression.end, node.end]);
    if (ts.isAsExpression(node)) deleted.push([node.expression.end, node.end]);
    else if ((ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionLike(node)) && node.type)
      deleted.push([node.type.pos - 1, node.type.end]);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  let text = source;
  for (const [start, end] of deleted.sort(([a], [b]) => b - a)) text = text.slice(0, start) + text.slice(end);
  return text.trimStart();
}
