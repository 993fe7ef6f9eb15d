/**
 * Reads members of an object in the manifest. Adds a finding for missing, mistyped and unknown
 * members.
 */
import { shown } from '../archive/shown.ts';
import { didYouMean } from '../did-you-mean.ts';
import type { Findings } from '../findings.ts';
import type { RuleCode } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import type { JsonMember, JsonValue } from './json.ts';

type JsonObject = Extract<JsonValue, { type: 'object' }>;
type Typed<T extends JsonValue['type']> = Extract<JsonValue, { type: T }>;

export class ObjectReader {
  readonly #object: JsonObject;
  /** Path of the object with a trailing dot: `background.`; empty: the root object. */
  readonly #prefix: string;
  readonly #members = new Map<string, JsonMember>();

  constructor(
    private readonly source: SourceText,
    private readonly findings: Findings,
    object: JsonObject,
    prefix = '',
  ) {
    this.#object = object;
    this.#prefix = prefix;
    // The last duplicate wins, as in JSON.parse.
    for (const member of object.members) this.#members.set(member.key, member);
  }

  has(key: string): boolean {
    return this.#members.has(key);
  }

  /** Adds a finding at the value of a member, or at the object if the member is missing. */
  add(code: RuleCode, key: string, message: string): void {
    this.addAt(code, this.#members.get(key)?.value ?? this.#object, message);
  }

  addAt(code: RuleCode, at: { readonly start: number }, message: string): void {
    this.findings.add(code, this.source.at(at.start), message);
  }

  require(...keys: readonly string[]): void {
    for (const key of keys)
      if (!this.has(key))
        this.addAt('manifest_missing_key', this.#object, `"${this.#prefix}${key}" is missing, which is required.`);
  }

  /** Reports members with other names. */
  refuseUnknown(allowed: readonly string[]): void {
    for (const [key, member] of this.#members)
      if (!allowed.includes(key)) {
        const message = `"${this.#prefix}${shown(key)}" is not known.${didYouMean(key, allowed)}`;
        this.addAt('manifest_unknown_key', member, message);
      }
  }

  /** Undefined: missing, or another type. */
  value<T extends JsonValue['type']>(key: string, type: T): Typed<T> | undefined {
    const value = this.#members.get(key)?.value;
    return value && this.#typed(value, type, `"${this.#prefix}${key}"`);
  }

  string(key: string): string | undefined {
    return this.value(key, 'string')?.value;
  }

  object(key: string): ObjectReader | undefined {
    const value = this.value(key, 'object');
    return value && new ObjectReader(this.source, this.findings, value, `${this.#prefix}${key}.`);
  }

  /** The distinct strings of an array. `code`: rule for strings that are not allowed. */
  strings(key: string, allowed: readonly string[], code: RuleCode): readonly string[] {
    const found = new Set<string>();
    for (const item of this.value(key, 'array')?.items ?? []) {
      const text = this.#typed(item, 'string', `A value of "${this.#prefix}${key}"`)?.value;
      if (text === undefined) continue;
      if (found.has(text))
        this.addAt('manifest_repeated_value', item, `"${shown(text)}" is twice in "${this.#prefix}${key}".`);
      else if (!allowed.includes(text))
        this.addAt(
          code,
          item,
          `"${shown(text)}" is not known.${didYouMean(text, allowed)} Known: ${allowed.join(', ')}.`,
        );
      found.add(text);
    }
    return [...found];
  }

  #typed<T extends JsonValue['type']>(value: JsonValue, type: T, name: string): Typed<T> | undefined {
    if (value.type === type) return value as Typed<T>;
    this.addAt('manifest_wrong_type', value, `${name} has to be of type ${type}, and is of type ${value.type}.`);
    return;
  }
}
