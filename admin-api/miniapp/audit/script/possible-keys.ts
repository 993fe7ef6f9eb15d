/** Computes the possible values of member keys with several values, or composed by `+=`. */
import type { AnyNode, AssignmentExpression } from 'acorn';
import type { Variable, Write } from './scope.ts';
import type { PossibleKeys, ScriptView } from './script-view.ts';
import { Steps } from './steps.ts';
import { constantOf, PLACEHOLDER, type Values } from './values.ts';
import { parentOf } from './walk.ts';

/** Placeholder for an unknown part of a key. */
const ANY = '\0';

/**
 * Maximum `+=` steps that are followed, and maximum characters of a key. No checked name is longer.
 */
const MOST_STEPS = 64;
const MOST_LENGTH = 64;

export function possibleKeys(view: ScriptView, key: AnyNode): PossibleKeys {
  const variable = key.type === 'Identifier' ? view.evaluator.variableOf(key) : undefined;
  if (variable === undefined) return { keys: valuesOfKey(view.evaluator.valuesOf(key)), isPutTogether: false };
  let found = view.keys.get(variable);
  if (found === undefined) {
    const steps = variable.writes.filter(({ added }) => added !== undefined);
    const isPutTogether = steps.length > 0;
    const keys = isPutTogether
      ? putTogether(view, variable, steps)
      : valuesOfKey(view.evaluator.valuesOfVariable(variable));
    found = { keys, isPutTogether };
    view.keys.set(variable, found);
  }
  return found;
}

function valuesOfKey(values: Values): readonly string[] {
  const keys: string[] = [];
  for (const value of values)
    if (value.kind === 'constant') keys.push(String(value.value));
    // The placeholder is also a letter, which a key may contain.
    else if (value.kind === 'text' && !ONLY_PLACEHOLDERS.test(value.start) && value.start.length <= MOST_LENGTH)
      keys.push(value.start.replaceAll(PLACEHOLDER, ANY));
  return keys;
}

const ONLY_PLACEHOLDERS = new RegExp(`^${PLACEHOLDER}*$`);

/** The names that a key may be. `isExact`: only keys without unknown parts match. */
export function namesOf(keys: readonly string[], names: Iterable<string>, isExact = false): string[] {
  const found: string[] = [];
  for (const name of names) if (keys.some((key) => (isExact ? key === name : mayBe(key, name)))) found.push(name);
  return found;
}

/** The name contains the known parts of the key in order. */
function mayBe(key: string, name: string): boolean {
  const [first, ...parts] = key.split(ANY);
  if (parts.length === 0) return key === name;
  const last = parts.pop()!;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    at = name.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= end;
}

/** Applies the steps in source order if they run in that order. Otherwise the key is unknown. */
function putTogether(view: ScriptView, { writes }: Variable, steps: readonly Write[]): readonly string[] {
  if (!writes.some((write) => isOfText(view, write))) return [];
  if (steps.length > MOST_STEPS || steps.some(({ added }) => isRepeated(added!, writes))) return [ANY];
  const keys = new Set<string>();
  const others = writes.filter(({ added }) => added === undefined);
  for (const write of others) {
    const constant = constantOf(view.evaluator.valuesOfWrite(write));
    keys.add(constant === undefined ? ANY : String(constant.value));
  }
  let ends = [...keys];
  for (const { added } of steps.toSorted((a, b) => a.added!.start - b.added!.start)) {
    const constant = constantOf(view.evaluator.valuesOf(added!.right));
    ends = ends.map((end) => shortened(end + (constant === undefined ? ANY : String(constant.value))));
    for (const end of ends) keys.add(end);
  }
  return [...keys];
}

/** The write stores or adds text. Indexes of lists also use `+=`, with numbers. */
const isOfText = (view: ScriptView, write: Write): boolean =>
  (write.added === undefined ? view.evaluator.valuesOfWrite(write) : view.evaluator.valuesOf(write.added.right)).some(
    (value) =>
      (value.kind === 'text' && write.added !== undefined) ||
      (value.kind === 'constant' && typeof value.value === 'string'),
  );

const shortened = (key: string): string => (key.length > MOST_LENGTH ? ANY : key);

/**
 * Whether a step is in a loop or in an inner function, relative to the first value of the variable.
 */
function isRepeated(step: AssignmentExpression, writes: readonly Write[]): boolean {
  const first = writes.find(({ from, added }) => from !== undefined && added === undefined)?.from;
  const around = first === undefined ? undefined : functionAround(first);
  for (let at = parentOf(step); at !== undefined; at = parentOf(at)) {
    if (at === around || at.type === 'Program') return false;
    if (LOOP.test(at.type) || isFunctionNode(at)) return true;
  }
  return false;
}

const LOOP = /^(?:For|While|DoWhile)/;
const isFunctionNode = ({ type }: AnyNode): boolean => type.includes('Function');

function functionAround(node: AnyNode): AnyNode | undefined {
  for (let at: AnyNode | undefined = node; at !== undefined; at = parentOf(at)) if (isFunctionNode(at)) return at;
  return undefined;
}

/**
 * The key is computed by this code, not passed in by a loop or an unknown caller.
 */
export function isMade(view: ScriptView, key: AnyNode, steps = new Steps()): boolean {
  if (!steps.take()) return true;
  switch (key.type) {
    case 'CallExpression': {
      const { callee } = key;
      const isOfName = callee.type === 'MemberExpression' && OF_NAMES.has(view.evaluator.keyOf(callee) ?? '');
      return isOfName ? isMade(view, callee.object, steps) : true;
    }
    case 'AwaitExpression':
      return true;
    case 'MemberExpression': {
      // Entries of lists are iterated keys.
      const name = view.evaluator.keyOf(key);
      return name !== undefined && !INDEX.test(name);
    }
    case 'BinaryExpression':
    case 'TemplateLiteral':
      // Composed of unknown texts only. A known prefix such as `data-` is harmless, and a number is
      // an index.
      return (
        view.evaluator.valuesOf(key).some(({ kind }) => kind === 'text') && possibleKeys(view, key).keys.length === 0
      );
    case 'Identifier': {
      const variable = view.evaluator.variableOf(key);
      return (
        variable !== undefined && steps.enter(variable) && variable.writes.some((write) => isMadeBy(view, write, steps))
      );
    }
    default:
      return false;
  }
}

const INDEX = /^\d+$/;

/** Methods that transform a name. */
const OF_NAMES = new Set(['toLowerCase', 'toUpperCase', 'slice', 'substring', 'substr', 'replace', 'trim']);

function isMadeBy(view: ScriptView, { from, path, added }: Write, steps: Steps): boolean {
  if (added !== undefined || !steps.take()) return true;
  if (from === undefined) return false;
  if (path.length === 0) return isMade(view, from, steps);
  if (!isFunctionNode(from) || path.length > 1 || typeof path[0] !== 'number') return false;
  for (const given of view.evaluator.given(from, path[0])) if (isMade(view, given, steps)) return true;
  return false;
}
