/**
 * Reads constants and function types from C headers: as much of the preprocessor and of the grammar
 * as OpenSSL's headers need.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Macro {
  readonly parameters: readonly string[];
  readonly body: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'linux-x86_64', arm64: 'linux-aarch64' };

/** OpenSSL's headers of the running Node; null: it was installed without them. */
export function openssl(): Headers | null {
  const folder = join(process.execPath, '../../include/node/openssl');
  const generated = join(folder, 'archs', ARCHITECTURES[process.arch] ?? '', 'asm/include/openssl');
  return existsSync(join(generated, 'ssl.h')) ? new Headers([folder, generated]) : null;
}

export class Headers {
  /** Without comments; lines that end with a backslash are joined. */
  readonly #text: string;
  readonly #macros = new Map<string, Macro[]>();
  #declarations: readonly string[] | undefined;

  constructor(folders: readonly string[]) {
    const files = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.h'))
        .map((name) => readFileSync(join(folder, name), 'latin1')),
    );
    this.#text = files
      .join('\n')
      .replace(/\\\n/g, ' ')
      .replace(/\/\*[\s\S]*?\*\//g, ' ');
    for (const [, name, list, body] of this.#text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?(.*)$/gm)) {
      const parameters = list === undefined ? [] : split(list.slice(1, -1));
      this.#macros.set(name, [...(this.#macros.get(name) ?? []), { parameters, body: body.trim() }]);
    }
  }

  /** The values of a constant; several if the headers define it by cases. */
  constant(name: string): number[] {
    const bodies = this.#macros.get(name);
    if (bodies === undefined) throw new Error(`no header defines ${name}`);
    return [...new Set(bodies.map(({ body }) => this.#evaluate(body)))];
  }

  #evaluate(text: string): number {
    const tokens: readonly string[] = text.match(/0x[0-9a-f]+|\d+|\w+|<<|[|()]/gi) ?? [];
    let at = 0;
    const primary = (): number => {
      const token = tokens[at++];
      if (token === '(') {
        if (/^(uint64_t|int|long)$/.test(tokens[at] ?? '') && tokens[at + 1] === ')') {
          at += 2;
          return primary();
        }
        const value = or();
        at++;
        return value;
      }
      const number = /^(0x[0-9a-f]+|\d+)$/i.test(token) ? Number(token) : Number.NaN;
      if (!Number.isNaN(number)) {
        if (/^[ul]+$/i.test(tokens[at] ?? '')) at++;
        return number;
      }
      const macro = this.#macros.get(token)?.[0];
      if (macro === undefined) throw new Error(`no header defines ${token}`);
      if (macro.parameters.length === 0) return this.#evaluate(macro.body);
      const end = tokens.indexOf(')', at);
      const value = this.#evaluate(substitute(macro, [tokens.slice(at + 1, end).join(' ')]));
      at = end + 1;
      return value;
    };
    const shift = (): number => {
      let value = primary();
      while (tokens[at] === '<<') {
        at++;
        value *= 2 ** primary();
      }
      return value;
    };
    const or = (): number => {
      let value = shift();
      while (tokens[at] === '|') {
        at++;
        value |= shift();
      }
      return value;
    };
    return or();
  }

  /** The type of a function as native/library.ts writes it. */
  functionType(name: string): string {
    const { result, parameters } = this.#declarationOf(name);
    return signature(result, parameters);
  }

  /** The type of a callback that a function has as its parameter at `index`. */
  callbackType(name: string, index: number): string {
    const parameter = this.#declarationOf(name).parameters[index];
    const typedef = this.#allDeclarations().find(
      (text) => text.startsWith('typedef') && text.includes(`(*${parameter.split(' ')[0]})`),
    );
    const [, result, list] = /^(?:typedef )?(.*)\(\*\w*\)\s*\((.*)\)$/.exec(typedef ?? parameter)!;
    return signature(result, split(list));
  }

  /** The members of a structure, in order. */
  members(structure: string): string[] {
    const [, body] = new RegExp(`struct ${structure} \\{([^}]*)\\}`).exec(this.#text)!;
    return body
      .split(';')
      .map((member) => member.replace(/\s+/g, ' ').trim())
      .filter((member) => member !== '');
  }

  #declarationOf(name: string): { readonly result: string; readonly parameters: readonly string[] } {
    const pattern = new RegExp(`^([\\w\\s*()]*?[\\s*])${name} ?\\((.*)\\)$`);
    for (const text of this.#allDeclarations()) {
      const match = pattern.exec(text);
      if (match !== null) return { result: match[1], parameters: split(match[2]) };
    }
    throw new Error(`no header declares ${name}`);
  }

  #allDeclarations(): readonly string[] {
    if (this.#declarations !== undefined) return this.#declarations;
    let text = this.#text.replace(/^[ \t]*#.*$/gm, '').replace(/extern "C" \{/g, ';');
    for (let before = ''; before !== text; ) {
      before = text;
      text = text.replace(/\b(DECLARE_\w+|PEM_\w+_fnsig)\s*\(([^()]*)\)/g, (whole, name: string, list: string) => {
        const macro = this.#macros.get(name)?.at(-1);
        return macro === undefined ? whole : `;${substitute(macro, split(list))};`;
      });
    }
    const attributes =
      /\b(extern|__owur|ossl_unused|OSSL_DEPRECATEDIN_\w+|OSSL_CRYPTO_ALLOC|__attribute__\(\(\w+\)\))\s/g;
    this.#declarations = text
      .replace(attributes, ' ')
      .split(/[;{}]/)
      .map((part) => part.replace(/\s+/g, ' ').trim());
    return this.#declarations;
  }
}

function substitute({ parameters, body }: Macro, values: readonly string[]): string {
  const replaced = parameters.reduce(
    (text, parameter, i) => text.replace(new RegExp(`\\b${parameter}\\b`, 'g'), values[i]),
    body,
  );
  return replaced.replace(/\s*##\s*/g, '');
}

/** Splits at the commas outside of parentheses. */
function split(list: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of list) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const BASIC = ['void', 'char', 'int', 'long', 'unsigned', 'short'];

function signature(result: string, parameters: readonly string[]): string {
  const values = parameters.map(typeOf).filter((value) => value !== 'void');
  const type = typeOf(result);
  return `${type}${type.endsWith('*') ? '' : ' '}(${values.join(', ')})`;
}

/** A parameter's type without `const` and the parameter's name. */
function typeOf(parameter: string): string {
  if (/\(\*/.test(parameter) || /^\w+_cb(_func)?\b(?! ?\*)/.test(parameter)) return 'callback';
  const text = parameter
    .replace(/STACK_OF\(\w+\)/, 'OPENSSL_STACK')
    .replace(/\bconst\b/g, '')
    .replace(/(\w+)\[\]$/, '*$1');
  const stars = text.match(/\*/g)?.join('') ?? '';
  const words = text.replace(/\*/g, ' ').trim().split(/\s+/);
  if (words.length > 1 && !BASIC.includes(words.at(-1)!)) words.pop();
  return `${words.join(' ')}${stars === '' ? '' : ` ${stars}`}`;
}
