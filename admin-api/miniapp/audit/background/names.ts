/** Checks the names that a background file uses: globals of the engine, Java, and `Host`. */
import type { AnyNode } from 'acorn';
import type { AuditContext } from '../context.ts';
import { Evaluator } from '../script/evaluate.ts';
import { parentOf, walk } from '../script/walk.ts';
import type { SourceText } from '../source-text.ts';
import {
  BROWSER_APIS,
  ENGINE_INTERNALS,
  GLOBALS,
  insteadOf,
  JAVA_BRIDGES,
  MISSING_GLOBALS,
  MISSING_METHODS,
  MISSING_STATICS,
  REACHING_MEMBERS,
} from './engine.ts';
import { HostCalls } from './host-calls.ts';
import { isKey, type SyntaxTree, visit } from './syntax-tree.ts';

const HANDLER = 'onBackgroundEvent';

export function checkNames(tree: SyntaxTree, source: SourceText, context: AuditContext): void {
  const { findings } = context;
  const walked = walk(tree.program, false);
  const { nodes, names, taken, top, implicit } = walked;
  const evaluator = new Evaluator(walked, 'background', new Map());
  const topNames = new Set([...top.variables(), ...implicit.variables()].map(({ name }) => name));
  const { tested, defined } = mentioned(tree.program);
  const hostCalls = new HostCalls(source, evaluator, context);

  /** Reports a use of the global. */
  const reach = (path: string, node: AnyNode): void => {
    const [name] = path.split('.', 1);
    const at = source.at(node.start);
    if (JAVA_BRIDGES.has(name)) findings.add('background_java_bridge', at, `${name} leads to the classes of Java.`);
    else if (ENGINE_INTERNALS.has(name) && !topNames.has(name))
      findings.add('background_engine_internal', at, `${name} belongs to the inside of the engine.`);
    else if (topNames.has(name) || tested.has(name)) return;
    else if (BROWSER_APIS.has(name))
      findings.add('background_browser_api', at, `${name} does not exist in the background.`, insteadOf(name));
    else if (MISSING_GLOBALS.has(name))
      findings.add('rhino_missing_global', at, `${name} does not exist in Rhino 1.7.15.`);
    else if (MISSING_STATICS.has(path))
      findings.add('rhino_missing_method', at, `${path} does not exist in Rhino 1.7.15.`);
  };

  const topVariables = new Set([...top.variables(), ...implicit.variables()]);
  for (const name of names) {
    const around = parentOf(name);
    if (around?.type === 'UnaryExpression' && around.operator === 'typeof') continue;
    const variable = evaluator.variableOf(name);
    // A top-level variable is a member of the global object, as the bridges are.
    if (variable !== undefined && !topVariables.has(variable)) continue;
    reach(name.name, name);
    if (variable === undefined && isUnknown(name.name, tested))
      findings.add('background_undefined_name', source.at(name.start), `${name.name} is defined nowhere.`);
  }
  for (const node of nodes) {
    if (node.type === 'CallExpression') hostCalls.check(node);
    if (node.type !== 'MemberExpression') continue;
    const key = evaluator.keyOf(node);
    if (key === undefined) continue;
    const at = source.at(node.property.start);
    const isThis = node.object.type === 'ThisExpression';
    if (REACHING_MEMBERS.has(key) || key === 'class' || ((isThis || node.computed) && JAVA_BRIDGES.has(key)))
      findings.add('background_java_bridge', at, `${key} leads out of the engine.`);
    else if (MISSING_METHODS.has(key) && !defined.has(key))
      findings.add('rhino_missing_method', at, `${key} does not exist in Rhino 1.7.15.`);
    const [root] = node.object.type === 'Identifier' ? [node.object.name] : [];
    for (const value of evaluator.valuesOf(node)) {
      if (value.kind !== 'global') continue;
      // Uses by name are reported above.
      if (value.path.split('.', 1)[0] !== root || MISSING_STATICS.has(value.path)) reach(value.path, node);
    }
  }
  for (const { node, write } of taken)
    for (const value of evaluator.valuesOfWrite(write)) if (value.kind === 'global') reach(value.path, node);
  for (const name of names) if (name.name === 'Host') hostCalls.checkUse(name);
  hostCalls.finish();
  checkHandler(tree, topNames, source, context);
}

const isUnknown = (name: string, tested: ReadonlySet<string>): boolean =>
  [GLOBALS, JAVA_BRIDGES, ENGINE_INTERNALS, BROWSER_APIS, MISSING_GLOBALS, tested].every((names) => !names.has(name));

/** Names that the file tests with typeof, and members that it defines. */
function mentioned(program: AnyNode): { readonly tested: ReadonlySet<string>; readonly defined: ReadonlySet<string> } {
  const tested = new Set<string>();
  const defined = new Set<string>();
  visit(program, (node, above) => {
    if (node.type === 'UnaryExpression' && node.operator === 'typeof' && node.argument.type === 'Identifier')
      tested.add(node.argument.name);
    const around = above[above.length - 1];
    if (node.type !== 'Identifier' || !isKey(node, around)) return;
    const target = above[above.length - 2];
    if (around.type === 'Property' || (target?.type === 'AssignmentExpression' && target.left === around))
      defined.add(node.name);
  });
  return { tested, defined };
}

/**
 * The handler must be a top-level function: declared, or assigned to the name or to a member of the
 * global object.
 */
function checkHandler(
  tree: SyntaxTree,
  topNames: ReadonlySet<string>,
  source: SourceText,
  { findings }: AuditContext,
): void {
  if (topNames.has(HANDLER)) return;
  const isAssigned = tree.program.body.some(
    (statement) =>
      statement.type === 'ExpressionStatement' &&
      statement.expression.type === 'AssignmentExpression' &&
      statement.expression.left.type === 'MemberExpression' &&
      statement.expression.left.property.type === 'Identifier' &&
      statement.expression.left.property.name === HANDLER,
  );
  if (isAssigned) return;
  const similar = [...topNames].find((name) => name.toLowerCase() === HANDLER.toLowerCase());
  const hint = similar === undefined ? '' : `; there is ${similar}`;
  findings.add('background_handler_missing', source.at(0), `The file defines no global function ${HANDLER}${hint}.`);
}
