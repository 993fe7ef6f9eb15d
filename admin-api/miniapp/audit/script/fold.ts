/** Applies built-in functions and operators to constants. Long results are unknown. */
import { asText, type Constant, constant, MOST_TEXT, text, UNKNOWN, type Value } from './values.ts';

/** Maximum entries of a list. */
const MOST_ITEMS = 4096;

/** The result of a method of a known string or list. Undefined: unknown. */
export function foldMethod(object: Value, name: string, args: readonly Value[]): Value | undefined {
  const constants: Constant[] = [];
  for (const arg of args) {
    if (arg.kind === 'list' && name === 'concat') constants.push(...arg.items.slice(0, MOST_ITEMS));
    else if (arg.kind === 'constant') constants.push(arg.value);
    else return undefined;
  }
  if (object.kind === 'list') return foldList(object.items, name, constants);
  if (object.kind !== 'constant') return undefined;
  if (typeof object.value === 'string') return foldString(object.value, name, constants);
  if (typeof object.value === 'number' && name === 'toString')
    return tried(() => (object.value as number).toString(constants[0] as number | undefined));
  return name === 'toString' ? constant(String(object.value)) : undefined;
}

function foldList(items: readonly Constant[], name: string, args: readonly Constant[]): Value | undefined {
  switch (name) {
    case 'join': {
      const joined = items.map((item) => item ?? '').join(args[0] === undefined ? ',' : String(args[0]));
      return joined.length > MOST_TEXT ? text('') : constant(joined);
    }
    case 'toString':
      return constant(items.map((item) => item ?? '').join(','));
    case 'reverse':
    case 'toReversed':
      return { kind: 'list', items: items.toReversed() };
    case 'slice':
      return { kind: 'list', items: items.slice(numberOf(args[0]), numberOf(args[1])) };
    case 'concat':
      return { kind: 'list', items: [...items, ...args].slice(0, MOST_ITEMS) };
    case 'at':
      return constant(items.at(Number(args[0] ?? 0)));
    case 'pop':
      return constant(items.at(-1));
    case 'shift':
      return constant(items[0]);
  }
  return undefined;
}

function foldString(value: string, name: string, args: readonly Constant[]): Value | undefined {
  switch (name) {
    case 'toString':
    case 'valueOf':
    case 'trim':
    case 'toLowerCase':
    case 'toUpperCase':
    case 'normalize':
      return args.length === 0 && value.length <= MOST_TEXT ? constant(value[name]()) : undefined;
    case 'charAt':
      return constant(value.charAt(Number(args[0] ?? 0)));
    case 'at':
      return constant(value.at(Number(args[0] ?? 0)));
    case 'charCodeAt':
    case 'codePointAt':
      return constant(value[name](Number(args[0] ?? 0)));
    case 'slice':
    case 'substring':
    case 'substr':
      return constant(value[name](Number(args[0] ?? 0), numberOf(args[1])));
    case 'concat':
      return short(value.length + lengthOf(args), () => value.concat(...args.map(String)));
    case 'repeat':
      return short(value.length * Number(args[0] ?? 0), () => value.repeat(Number(args[0] ?? 0)));
    case 'padStart':
    case 'padEnd':
      return short(Number(args[0] ?? 0), () =>
        value[name](Number(args[0] ?? 0), args[1] === undefined ? ' ' : String(args[1])),
      );
    case 'split': {
      if (args.length !== 1 || value.length > MOST_TEXT) return undefined;
      const items = value.split(String(args[0]), MOST_ITEMS + 1);
      return items.length > MOST_ITEMS ? undefined : { kind: 'list', items };
    }
    case 'replace':
    case 'replaceAll': {
      const [from, to] = args;
      if (typeof from !== 'string' || typeof to !== 'string' || value.length * (to.length + 1) > MOST_TEXT)
        return undefined;
      return constant(value[name](from, to));
    }
  }
  return undefined;
}

/** Parses JSON text to a constant or a list. Other arrays and all objects are unknown. */
export function foldJson(json: string): Value | undefined {
  if (json.length > MOST_TEXT) return undefined;
  try {
    const parsed: unknown = JSON.parse(json);
    if (isConstant(parsed)) return constant(parsed);
    return Array.isArray(parsed) && parsed.length <= MOST_ITEMS && parsed.every(isConstant)
      ? { kind: 'list', items: parsed }
      : UNKNOWN;
  } catch {
    return undefined;
  }
}

const isConstant = (value: unknown): value is Constant =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The result of a global function with constant arguments. */
export function foldFunction(path: string, args: readonly Constant[]): Value | undefined {
  switch (path) {
    case 'String.fromCharCode':
      return constant(String.fromCharCode(...args.slice(0, MOST_ITEMS).map(Number)));
    case 'String.fromCodePoint':
      return tried(() => String.fromCodePoint(...args.slice(0, MOST_ITEMS).map(Number)));
    case 'atob':
      return tried(() => atob(String(args[0])));
    case 'btoa':
      return tried(() => btoa(String(args[0])));
    case 'decodeURIComponent':
      return tried(() => decodeURIComponent(String(args[0])));
    case 'decodeURI':
      return tried(() => decodeURI(String(args[0])));
    case 'unescape':
      return constant(unescape(String(args[0])));
    case 'String':
      return constant(args.length === 0 ? '' : String(args[0]));
    case 'Number':
      return constant(Number(args[0]));
    case 'parseInt':
      return constant(Number.parseInt(String(args[0]), args[1] === undefined ? undefined : Number(args[1])));
  }
  return undefined;
}

export function foldBinary(operator: string, left: Value, right: Value): Value | undefined {
  if (operator === '+') return add(left, right);
  if (left.kind !== 'constant' || right.kind !== 'constant') return undefined;
  const a = Number(left.value);
  const b = Number(right.value);
  switch (operator) {
    case '-':
      return constant(a - b);
    case '*':
      return constant(a * b);
    case '/':
      return constant(a / b);
    case '%':
      return constant(a % b);
    case '^':
      return constant(a ^ b);
    case '|':
      return constant(a | b);
    case '&':
      return constant(a & b);
    case '<<':
      return constant(a << b);
    case '>>':
      return constant(a >> b);
    case '>>>':
      return constant(a >>> b);
  }
  return undefined;
}

function add(left: Value, right: Value): Value | undefined {
  if (
    left.kind === 'constant' &&
    right.kind === 'constant' &&
    typeof left.value !== 'string' &&
    typeof right.value !== 'string'
  )
    return constant(Number(left.value) + Number(right.value));
  const a = asText(left);
  const b = asText(right);
  if (a === undefined || b === undefined) return undefined;
  return a.length + b.length > MOST_TEXT ? text('') : constant(a + b);
}

export function foldUnary(operator: string, value: Value): Value | undefined {
  if (operator === 'void') return constant(undefined);
  if (value.kind === 'list') {
    if (operator === '!') return constant(false);
    if (operator === '+') return constant(Number(asText(value)));
  }
  if (value.kind !== 'constant')
    return operator === '!' && value.kind !== 'unknown' && value.kind !== 'text' ? constant(false) : undefined;
  switch (operator) {
    case '!':
      return constant(!value.value);
    case '+':
      return constant(Number(value.value));
    case '-':
      return constant(-Number(value.value));
    case '~':
      return constant(~Number(value.value));
  }
  return undefined;
}

const numberOf = (value: Constant): number | undefined => (value === undefined ? undefined : Number(value));
const lengthOf = (args: readonly Constant[]): number => args.reduce((sum: number, arg) => sum + String(arg).length, 0);
const short = (length: number, make: () => string): Value | undefined =>
  length >= 0 && length <= MOST_TEXT ? constant(make()) : undefined;

function tried(make: () => string): Value | undefined {
  try {
    return constant(make());
  } catch {
    return undefined;
  }
}
