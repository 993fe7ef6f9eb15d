/** Detects apps that pass a whole library object on: any part of the library is then reachable. */
import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import { KNOWN } from '../script/check-undefined.ts';
import { parentOf, scopeOf, type Walked } from '../script/walk.ts';
import { locate } from '../web/location.ts';
import { nameOfMember } from './bindings.ts';

/** How the scripts of a package use its libraries. */
export class Parts {
  /** Globals that the app passes on, and globals that it declares. */
  readonly #given = new Set<string>();
  readonly #declared = new Set<string>();
  /** Names that libraries may define on the window. */
  readonly #ofLibraries = new Set<string>();
  #isOfModule = false;

  constructor(/** Files of libraries. */ private readonly files: ReadonlySet<string>) {}

  addLibrary(walked: Walked): void {
    for (const name of declaredBy(walked)) this.#ofLibraries.add(name);
    for (const node of walked.nodes)
      if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression')
        this.#ofLibraries.add(nameOfMember(node.left) ?? '');
  }

  addApp(walked: Walked, file: string): void {
    const { globals, isOfModule } = handedOn(walked, (path) => {
      const location = locate(path, file);
      return location.kind === 'file' && location.path !== undefined && this.files.has(location.path);
    });
    this.#isOfModule ||= isOfModule;
    for (const name of globals) this.#given.add(name);
    for (const name of declaredBy(walked)) this.#declared.add(name);
  }

  /** Whether the app may pass a whole library on. */
  isWhole(): boolean {
    if (this.#isOfModule) return true;
    for (const name of this.#given) if (!this.#declared.has(name) || this.#ofLibraries.has(name)) return true;
    return false;
  }
}

interface HandedOn {
  /** Globals that the script passes on as whole objects. */
  readonly globals: ReadonlySet<string>;
  /** The script may pass on a module of a library. */
  readonly isOfModule: boolean;
}

/** `isLibrary`: whether an import path refers to a library. */
function handedOn({ names, nodes, taken, top, implicit }: Walked, isLibrary: (path: string) => boolean): HandedOn {
  const globals = new Set<string>();
  let isOfModule = taken.some(({ node }) => node.type === 'Property' && node.computed);
  const isImported = (node: Identifier): boolean =>
    (top.own(node.name)?.writes ?? []).some(({ from }) => {
      const declaration = from && parentOf(from);
      return declaration?.type === 'ImportDeclaration' && isLibrary(String(declaration.source.value));
    });
  for (const node of names) {
    const variable = (scopeOf(node) ?? top).lookup(node.name);
    // A `var` without an initializer keeps the existing global.
    if (variable === undefined || variable === implicit.own(node.name) || variable.isGlobal) {
      if (!KNOWN.has(node.name) && isWhole(node)) globals.add(node.name);
    } else if (variable === top.own(node.name) && isImported(node) && isWhole(node)) isOfModule = true;
  }
  for (const node of nodes)
    if (node.type === 'MemberExpression') {
      const name = nameOfMember(node);
      if (name !== undefined && isOfWindow(node) && !KNOWN.has(name) && isWhole(node)) globals.add(name);
    } else if (node.type === 'ImportExpression') isOfModule = true;
    else if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration')
      isOfModule ||= node.source != null && isLibrary(String(node.source.value));
  return { globals, isOfModule };
}

/** Names that a script declares or assigns at its top level. */
function declaredBy({ top, implicit }: Walked): string[] {
  return [top, implicit].flatMap((scope) => [...scope.variables()].map(({ name }) => name));
}

const WINDOWS = new Set(['window', 'self', 'globalThis', 'frames', 'top', 'parent']);

const isOfWindow = ({ object }: MemberExpression): boolean =>
  object.type === 'ThisExpression' || (object.type === 'Identifier' && WINDOWS.has(object.name));

/** The value is used as a whole: no named member is read, and it is neither called nor tested. */
function isWhole(node: AnyNode): boolean {
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    switch (parent.type) {
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'LogicalExpression':
        continue;
      case 'ConditionalExpression':
        if (parent.test === at) return false;
        continue;
      case 'SequenceExpression':
        if (parent.expressions.at(-1) !== at) return false;
        continue;
      case 'MemberExpression':
        return parent.object !== at;
      case 'CallExpression':
      case 'NewExpression':
        return parent.callee !== at;
      case 'TaggedTemplateExpression':
        return parent.tag !== at;
      case 'VariableDeclarator':
        return parent.id.type !== 'ObjectPattern' || parent.id.properties.some(({ type }) => type === 'RestElement');
      case 'AssignmentExpression':
        return parent.right === at;
      case 'UnaryExpression':
      case 'BinaryExpression':
      case 'UpdateExpression':
      case 'IfStatement':
      case 'ExpressionStatement':
        return false;
      default:
        return true;
    }
  }
  return true;
}
