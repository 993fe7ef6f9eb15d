/** Puts messages of the API into the words of the dashboard's forms. */
import { TEXTS } from './texts.ts';

interface Worded {
  readonly code?: string;
  readonly message: string;
  /** JSON pointer (RFC 6901) into the body. */
  readonly pointer?: string;
}

/** Lists of entries that a screen shows as rows: a row needs no number in its message. */
const ROW = /^\/(?:post|put|delete|records)\/\d+(?=\/)/;
/** Names of the configuration, behind what they limit. */
const SETTINGS = / \([a-z]+(?:\.[a-z_]+)+\)/g;

/**
 * A fault of the schema names its field as the API does, in front: `"origin" must be …`. Other
 * messages may name fields in quotes.
 */
export function wordMessage({ code = '', message, pointer = '' }: Worded): string {
  const own = TEXTS.errors.codes[code];
  if (own !== undefined) return own;
  const path = pointer.replace(ROW, '').split('/').slice(1);
  // A fault of an entry of a batch names the field alone.
  const quoted = [pointer.slice(1), path.at(-1)].map((name) => `"${name}" `).find((name) => message.startsWith(name));
  if (pointer !== '' && quoted !== undefined) {
    const rule = message.slice(quoted.length).replace(/\.$/, '');
    return TEXTS.errors.fault(labelOf(path), ruleOf(path, rule));
  }
  return message.replace(SETTINGS, '').replace(/"([a-z]+(?:_[a-z]+)*)"/g, (name, field) => {
    const known = TEXTS.fields[field];
    return known === undefined ? name : `“${known.label}”`;
  });
}

/** An entry of a list has its number, from 1. */
function labelOf(path: readonly string[]): string {
  const words = path.map((name) => {
    if (/^\d+$/.test(name)) return String(Number(name) + 1);
    return TEXTS.fields[name]?.label ?? name.replaceAll('_', ' ');
  });
  const label = words.join(' › ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function ruleOf(path: readonly string[], rule: string): string {
  const enter = TEXTS.fields[path.at(-1) ?? '']?.enter;
  if (enter !== undefined && !/^has \d/.test(rule)) return enter;
  return rule.replace(/^is missing; it /, '').replace(/^must be a string, (?=an? )/, 'must be ');
}
