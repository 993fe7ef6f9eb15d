/** Names of imports and exports (ECMA-262, 16.2). */
import type {
  ExportAllDeclaration,
  ExportNamedDeclaration,
  Identifier,
  ImportDeclaration,
  ImportDefaultSpecifier,
  ImportSpecifier,
  Literal,
} from 'acorn';
import type { ScriptView } from './script-view.ts';

/** The type of an import that is not a script (HTML, 8.1.6.7.3). Undefined: a script. */
export function typeOf(
  node: ImportDeclaration | ExportAllDeclaration | ExportNamedDeclaration,
): 'css' | 'json' | undefined {
  for (const { key, value } of node.attributes) {
    const name = key.type === 'Identifier' ? key.name : key.value;
    if (name === 'type' && (value.value === 'css' || value.value === 'json')) return value.value;
  }
  return undefined;
}

/** Notes that a module exports `name` as `other`. */
export function noteRenamed({ context: { renamed } }: ScriptView, name: string, other: string): void {
  if (name === other) return;
  const names = renamed.get(name);
  if (names === undefined) renamed.set(name, new Set([other]));
  else names.add(other);
}

/** The name that the imported module exports. */
export const importedName = (node: ImportSpecifier | ImportDefaultSpecifier): string =>
  node.type === 'ImportSpecifier' ? nameOf(node.imported) : 'default';

export const nameOf = (name: Identifier | Literal): string =>
  name.type === 'Identifier' ? name.name : String(name.value);
