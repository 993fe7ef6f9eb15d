/** What a module imports. */
import type { AnyNode, ExportAllDeclaration, ExportNamedDeclaration, ImportDeclaration } from 'acorn';
import { missing } from '../web/loads.ts';
import { locate } from '../web/location.ts';
import { load } from './check-url.ts';
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

/** What else than code is imported (HTML, 8.1.6.7.3); undefined: a script. */
function typeOf(node: ImportDeclaration | ExportAllDeclaration | ExportNamedDeclaration): 'css' | 'json' | undefined {
  for (const { key, value } of node.attributes) {
    const name = key.type === 'Identifier' ? key.name : key.value;
    if (name === 'type' && (value.value === 'css' || value.value === 'json')) return value.value;
  }
  return undefined;
}
