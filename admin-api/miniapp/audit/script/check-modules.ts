/** Checks the imports of a module, and notes its exports. */
import type { AnyNode, Identifier, ImportExpression, Literal, Program } from 'acorn';
import { type Location, locate } from '../web/location.ts';
import { missing } from '../web/references.ts';
import { noteAssigned, noteMember } from './check-timers.ts';
import { load } from './check-url.ts';
import { importedName, nameOf, noteRenamed, typeOf } from './module-names.ts';
import { isFunction } from './plain-call.ts';
import { report, type ScriptView } from './script-view.ts';

export function checkImport(view: ScriptView, node: AnyNode): void {
  if (node.type === 'ImportExpression') {
    checkDynamicImport(view, node);
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
  if (location.kind !== 'file' || !isPath(specifier)) {
    checkSpecifier(view, node.source, specifier, location);
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
}

/** Queues imported files of the package for the audit. Reports all other dynamic imports. */
function checkDynamicImport(view: ScriptView, node: ImportExpression): void {
  const specifiers = view.evaluator.valuesOf(node.source);
  // A handler resolves the path against its page, which is unknown here. Options may import a
  // type other than code.
  const isKnown = specifiers.every(({ kind }) => kind === 'constant') && !node.options;
  if (!isKnown || view.kind === 'handler' || view.kind === 'background') {
    report(view, 'dynamic_import', node, 'import() loads code while the app runs.');
    return;
  }
  for (const value of specifiers) {
    const specifier = value.kind === 'constant' ? String(value.value) : '';
    const location = locate(specifier, view.source.file);
    if (location.kind === 'file' && isPath(specifier)) load(view, node.source, location.path, 'module');
    else checkSpecifier(view, node.source, specifier, location);
  }
}

/** Reports a specifier that is not a path in the package. */
function checkSpecifier(view: ScriptView, node: AnyNode, specifier: string, location: Location): void {
  if (location.kind === 'file' || location.kind === 'page') {
    report(view, 'module_bare', node, `"${specifier}" is not a path.`);
    return;
  }
  const from =
    location.kind === 'remote'
      ? location.host
      : `a ${location.kind === 'other' ? location.scheme : location.kind}: URL`;
  report(view, 'module_remote', node, `A module is imported from ${from}.`);
}

const isPath = (specifier: string): boolean => /^\.{0,2}\//.test(specifier);

/**
 * Notes the names under which a module exports functions and texts. `noteMembers` covers exports
 * under the name of their variable.
 */
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
      else if (from !== undefined && isFunction(from)) noteRenamed(view, local.name, exported);
    noteAssigned(view, exported, local);
  }
}
