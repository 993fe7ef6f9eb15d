/**
 * The interface of the evaluator for its helper modules. It avoids an import cycle.
 */
import type { AnyNode, Function as FunctionNode, Identifier, MemberExpression } from 'acorn';
import type { Variable } from './scope.ts';
import type { Value, Values } from './values.ts';
import type { Called } from './walk.ts';

export interface Evaluation {
  valuesOf(node: AnyNode): Values;
  variableOf(node: Identifier): Variable | undefined;
  functionOf(node: Identifier): (FunctionNode & AnyNode) | undefined;
  callsOf(fn: AnyNode): readonly Called[];
  keyOf(node: MemberExpression): string | undefined;
  flat(value: Value): Value;
  itemsOf(lists: Values): Values;
  spend(value: Value): boolean;
  member(object: Value, key: string | undefined): Values;
  resultsOf(fn: FunctionNode & AnyNode): Values;
}
