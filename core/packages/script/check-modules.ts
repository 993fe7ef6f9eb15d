/** What a module imports. */
import type { AnyNode } from 'acorn';
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
      if (node.attributes.length === 0) {
        load(view, node.source, location.path, 'module');
        return;
      }
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
