/** What a module imports, and what it gives to others. */
import type { AnyNode, Identifier, Literal, Program } from 'acorn';
import { missing } from '../web/loads.ts';
import { locate } from '../web/location.ts';
import { noteAssigned, noteMember } from './check-timers.ts';
import { load } from './check-url.ts';
import { importedName, nameOf, typeOf } from './module-names.ts';
import { report, type ScriptView } from './script-view.ts';

export function checkImport(view: ScriptView, node: AnyNode): void {
  if (node.type === 'ImportExpression') {
    report(view, 'dynamic_import', node, 'import() loads code while the app runs.');
    return;
  }
  if (
    node.type !== 'ImportDeclaration' &&
    node.type !== 'ExportAllDeclaration' &&
    node.type !== 'ExportNamedDeclaration'
  )
    return;
  if (!node.source || typeof node.source.value !== 'string') return;
  const specifier = node.source.value;
  const location = locate(specifier, view.source.file);
  switch (location.kind) {
    case 'file':
      if (!/^\.{0,2}\//.test(specifier)) {
        report(view, 'module_bare', node.source, `"${specifier}" is not a path.`);
        return;
      }
      if (typeOf(node) === undefined) {
        load(view, node.source, location.path, 'module');
        return;
      }
      if (typeOf(node) === 'css' && location.path !== undefined && view.context.files.has(location.path))
        view.context.waiting.push({ path: location.path, kind: 'style' });
      if (location.path === undefined || !view.context.files.has(location.path))
        report(view, 'script_missing', node.source, missing(location.path, view.context.files));
      return;
    case 'page':
      report(view, 'module_bare', node.source, `"${specifier}" is not a path.`);
      break;
    case 'remote':
      report(view, 'module_remote', node.source, `A module is imported from ${location.host}.`);
      break;
    default:
      report(
        view,
        'module_remote',
        node.source,
        `A module is imported from a ${location.kind === 'other' ? location.scheme : location.kind}: URL.`,
      );
      break;
  }
}

/** By which names the module gives functions and texts to others. What it calls as they do is noted with its variables. */
export function noteExports(view: ScriptView, { body }: Program): void {
  for (const node of body)
    if (node.type === 'ExportDefaultDeclaration') noteMember(view, 'default', node.declaration);
    else if (node.type === 'ExportNamedDeclaration')
      for (const { local, exported } of node.specifiers)
        noteExport(view, local, nameOf(exported), node.source !== undefined && node.source !== null);
}

function noteExport(view: ScriptView, local: Identifier | Literal, exported: string, isElsewhere: boolean): void {
  if (isElsewhere || local.type === 'Literal') noteRenamed(view, nameOf(local), exported);
  else {
    const writes = view.evaluator.variableOf(local)?.writes ?? [];
    for (const { from } of writes)
      if (from?.type === 'ImportSpecifier' || from?.type === 'ImportDefaultSpecifier')
        noteRenamed(view, importedName(from), exported);
    noteAssigned(view, exported, local);
  }
}

function noteRenamed({ context: { renamed } }: ScriptView, name: string, exported: string): void {
  if (name === exported) return;
  const known = renamed.get(name);
  if (known === undefined) renamed.set(name, new Set([exported]));
  else known.add(exported);
}
