/** Checks `Host.call(operation, params)` against the permissions of the background. */
import type { AnyNode, CallExpression, Identifier, ObjectExpression } from 'acorn';
import { findNearest } from '../../../../core/base/nearest.ts';
import { OPERATIONS } from '../../bridge/operations.ts';
import type { AuditContext } from '../context.ts';
import { wholeFile } from '../findings.ts';
import type { Evaluator } from '../script/evaluate.ts';
import { constantOf, type Value } from '../script/values.ts';
import { parentOf } from '../script/walk.ts';
import type { SourceText } from '../source-text.ts';

const BACKGROUND_OPERATIONS = [...OPERATIONS].filter(([, { isInBackground }]) => isInBackground).map(([name]) => name);

const NO_OBJECT = new Set(['constant', 'text', 'function', 'list']);

export class HostCalls {
  readonly #used = new Set<string>();
  #undeterminable = false;

  constructor(
    private readonly source: SourceText,
    private readonly evaluator: Evaluator,
    private readonly context: AuditContext,
  ) {}

  check(node: CallExpression): void {
    const values = this.evaluator.valuesOf(node.callee);
    if (!values.some((value) => value.kind === 'global' && value.path === 'Host.call')) return;
    const { findings, manifest } = this.context;
    const [called, params] = node.arguments;
    const at = this.source.at(called?.start ?? node.start);
    const operation = called === undefined ? { value: undefined } : constantOf(this.evaluator.valuesOf(called));
    if (operation === undefined || values.length > 1) {
      this.#undeterminable = true;
      findings.add('background_operation_computed', at, 'Which operation Host.call is asked for cannot be determined.');
      return;
    }
    const name = String(operation.value);
    const found = OPERATIONS.get(name);
    if (found?.isInBackground !== true) {
      const hint = called === undefined ? '' : ` Did you mean ${findNearest(name, BACKGROUND_OPERATIONS)}?`;
      const what =
        called === undefined
          ? 'Host.call needs an operation.'
          : `The background has no operation ${JSON.stringify(name).slice(0, 60)}.`;
      findings.add('background_operation_unknown', at, what + hint);
      return;
    }
    const permission = found.permission!;
    this.#used.add(permission);
    if (manifest?.background?.permissions.includes(permission) === false)
      findings.add(
        'background_permission_undeclared',
        at,
        `${name} needs the permission ${permission} under background.permissions.`,
      );
    const fault = this.#paramsFault(
      found.params.map((param) => param.name),
      params,
    );
    if (fault !== undefined)
      findings.add('background_params_invalid', this.source.at((params ?? node).start), `${name}: ${fault}.`);
  }

  /** The fault of the parameters; undefined: none, or it cannot be determined. */
  #paramsFault(required: readonly string[], params: AnyNode | undefined): string | undefined {
    const shape = `{${required.join(', ')}}`;
    if (params === undefined) return `the parameters ${shape} are missing`;
    const [value, ...others] = this.evaluator.valuesOf(params);
    if (others.length > 0) return undefined;
    const isObject = value.kind === 'structure' && value.node.type === 'ObjectExpression';
    if (!isObject)
      return NO_OBJECT.has(value.kind) || value.kind === 'structure'
        ? `the parameters are an object, ${shape}`
        : undefined;
    const keys = keysOf(value.node as ObjectExpression);
    const missing = required.filter((key) => keys?.has(key) === false);
    if (missing.length > 0) return `${missing.join(' and ')} is missing`;
    for (const name of keys === undefined ? [] : required) {
      const values = this.evaluator.valuesOf(keys!.get(name)!);
      if (!values.every((possible) => isNoString(possible))) continue;
      return `${name} is a string`;
    }
    return undefined;
  }

  /** Reports a use of `Host` other than in typeof or as a call of `Host.call`. */
  checkUse(name: Identifier): void {
    if (this.evaluator.variableOf(name) !== undefined) return;
    const member = parentOf(name);
    if (member?.type === 'UnaryExpression' && member.operator === 'typeof') return;
    if (member?.type === 'MemberExpression' && member.object === name) {
      const key = this.evaluator.keyOf(member);
      if (key !== undefined && key !== 'call')
        this.context.findings.add(
          'background_host_member',
          this.source.at(name.start),
          `Host.${key} is not there in the background.`,
        );
      const call = parentOf(member);
      if (key !== undefined && call?.type === 'CallExpression' && call.callee === member) return;
      if (key !== undefined && key !== 'call') return;
    }
    this.#undeterminable = true;
    this.context.findings.add(
      'background_operation_computed',
      this.source.at(name.start),
      'What becomes of Host here is not followed.',
    );
  }

  /**
   * Reports permissions that no call needs. No operation needs `notifications`: the host itself
   * shows notifications.
   */
  finish(): void {
    const { findings, manifest } = this.context;
    if (this.#undeterminable) return;
    for (const permission of manifest?.background?.permissions ?? [])
      if (permission === 'storage' && !this.#used.has(permission))
        findings.add(
          'background_permission_unused',
          wholeFile('manifest.json'),
          `No Host.call of the background needs ${permission}.`,
        );
  }
}

const isNoString = (value: Value): boolean =>
  value.kind === 'constant'
    ? typeof value.value !== 'string'
    : value.kind === 'list' || value.kind === 'structure' || value.kind === 'function';

/** Undefined: the object may have other keys, from a spread or a computed name. */
function keysOf({ properties }: ObjectExpression): ReadonlyMap<string, AnyNode> | undefined {
  const keys = new Map<string, AnyNode>();
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed) return undefined;
    const { key } = property;
    keys.set(
      key.type === 'Identifier' ? key.name : String((key as { readonly value?: unknown }).value),
      property.value,
    );
  }
  return keys;
}
