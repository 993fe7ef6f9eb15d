/** Under which names modules give things to each other (ECMA-262, 16.2). */
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

/** What else than code is imported (HTML, 8.1.6.7.3); undefined: a script. */
export function typeOf(
  node: ImportDeclaration | ExportAllDeclaration | ExportNamedDeclaration,
): 'css' | 'json' | undefined {
  for (const { key, value } of node.attributes) {
    const name = key.type === 'Identifier' ? key.name : key.value;
    if (name === 'type' && (value.value === 'css' || value.value === 'json')) return value.value;
  }
  return undefined;
}

/** What has a name has another one in the end. */
export function noteRenamed({ context: { renamed } }: ScriptView, name: string, other: string): void {
  if (name === other) return;
  const names = renamed.get(name);
  if (names === undefined) renamed.set(name, new Set([other]));
  else names.add(other);
}

/** As the module has it that it is imported from. */
export const importedName = (node: ImportSpecifier | ImportDefaultSpecifier): string =>
  node.type === 'ImportSpecifier' ? nameOf(node.imported) : 'default';

export const nameOf = (name: Identifier | Literal): string =>
  name.type === 'Identifier' ? name.name : String(name.value);
