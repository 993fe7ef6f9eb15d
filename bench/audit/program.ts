/**
 * Scripts and style sheets as people write them: no two functions alike, and nothing in them that a
 * linter of apps or of web extensions has to tell.
 */
import type { Random } from '../../test/support/random.ts';

const VERBS =
  'load save find sort merge format parse render update remove collect filter count group measure select'.split(' ');
const NOUNS =
  'note entry tag date range list draft folder colour price route track photo label score player round month total'.split(
    ' ',
  );
const WORDS =
  'the of each one kept when shown before it changes first last empty old new what was asked for on this page'.split(
    ' ',
  );

const upper = (word: string): string => word[0].toUpperCase() + word.slice(1);
const lines = (parts: readonly string[], indent: string): string => parts.map((part) => `${indent}${part}`).join('\n');

/**
 * Writes functions one after the other; each has a name of its own and may call those before it.
 */
export class Program {
  readonly #random: Random;
  readonly #functions: string[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Of at least so many characters. */
  script(length: number): string {
    const parts = [`'use strict';\n`];
    // Functions of another script may not be there yet.
    this.#functions.length = 0;
    for (let written = 0; written < length; written += parts[parts.length - 1].length) parts.push(this.#part());
    return parts.join('\n');
  }

  style(length: number): string {
    const { below, pick } = this.#of();
    let text = '';
    while (text.length < length) {
      const rules = Array.from({ length: 2 + below(5) }, () =>
        pick([
          `margin: ${below(40)}px ${below(40)}px;`,
          `padding: ${below(9) / 2}rem;`,
          `color: #${(0x100000 + below(0xefffff)).toString(16)};`,
          `display: ${pick(['flex', 'grid', 'block', 'none'])};`,
          `border-bottom: ${1 + below(3)}px solid rgba(0, 0, 0, 0.${1 + below(8)});`,
          `font: ${12 + below(20)}px/1.${below(9)} system-ui, sans-serif;`,
          `transition: opacity ${50 * below(20)}ms ease-in-out;`,
          `width: calc(100% - ${below(300)}px);`,
        ]),
      );
      const name = `.${pick(NOUNS)}-${pick(NOUNS)}-${this.#names++}`;
      text += `${name}${pick(['', ':hover', ' > li', '::after'])} {\n${lines(rules, '  ')}\n}\n`;
    }
    return text;
  }

  #of() {
    const random = this.#random;
    return { below: (bound: number) => random.below(bound), pick: <T>(choices: readonly T[]) => random.pick(choices) };
  }

  #name(): string {
    const { pick } = this.#of();
    return `${pick(VERBS)}${upper(pick(NOUNS))}${upper(pick(NOUNS))}${this.#names++}`;
  }

  #sentence(): string {
    const { below, pick } = this.#of();
    const words = Array.from({ length: 4 + below(8) }, () => pick(WORDS));
    return `${upper(pick(VERBS))}s ${words.join(' ')}.`;
  }

  #part(): string {
    const { below } = this.#of();
    const kind = below(10);
    if (kind === 0) return this.#class();
    if (kind === 1) return this.#table();
    const name = this.#name();
    const [list, key] = [this.#variable(), this.#variable()];
    const isAsync = kind === 2;
    const body = this.#statements(list, key, 2 + below(6), isAsync);
    const text = `/** ${this.#sentence()} */\n${isAsync ? 'async ' : ''}function ${name}(${list}, ${key}) {\n${lines(body, '  ')}\n}\n`;
    if (!isAsync) this.#functions.push(name);
    return text;
  }

  #variable(): string {
    const { pick } = this.#of();
    return `${pick(NOUNS)}${upper(pick(NOUNS))}`.concat(String(this.#names++ % 7));
  }

  #class(): string {
    const { below, pick } = this.#of();
    const [field, list] = [pick(NOUNS), pick(NOUNS)];
    const methods = Array.from({ length: 2 + below(4) }, () => {
      const [items, at] = [this.#variable(), this.#variable()];
      const body = [...this.#statements(items, at, 1 + below(4), false), `this.${field} = ${at};`, 'return this;'];
      return `  ${this.#name()}(${items}, ${at}) {\n${lines(body, '    ')}\n  }\n`;
    });
    return `// ${this.#sentence()}\nclass ${upper(this.#name())} {\n  constructor(${field}) {\n    this.${field} = ${field};\n    this.${list}s = [];\n  }\n\n${methods.join('\n')}}\n`;
  }

  #table(): string {
    const { below, pick } = this.#of();
    const rows = Array.from(
      { length: 3 + below(8) },
      () =>
        `{ ${pick(NOUNS)}: ${below(9999)}, label: '${pick(WORDS)} ${pick(WORDS)}', weight: ${below(100) / 8}, shown: ${pick([true, false])} },`,
    );
    return `const ${this.#name()} = [\n${lines(rows, '  ')}\n];\n`;
  }

  /** Of a function that has a list and a key; the last of them returns. */
  #statements(list: string, key: string, count: number, isAsync: boolean): string[] {
    const { below, pick } = this.#of();
    const written: string[] = [];
    const names = [key];
    for (let index = 0; index < count; index++) {
      const [name, other] = [`${pick(NOUNS)}${upper(pick(VERBS))}${index}`, pick(names)];
      const field = pick(NOUNS);
      const statement = pick([
        () => [
          `const ${name} = ${list}.filter((item) => item.${field} > ${below(50)} && item.${pick(NOUNS)} !== ${other});`,
        ],
        () => [
          `let ${name} = 0;`,
          `for (let i = 0; i < ${list}.length; i += ${1 + below(3)}) {`,
          `  if (${list}[i].${field} === ${other}) continue;`,
          `  ${name} += ${list}[i].${pick(NOUNS)} * ${below(90) / 4} + i;`,
          '}',
        ],
        () => [`const ${name} = \`\${${other}} ${pick(WORDS)} ${pick(WORDS)}: \${${list}.length} ${field}s\`;`],
        () => [
          `const ${name} = document.createElement('${pick(['li', 'p', 'div', 'span', 'button'])}');`,
          `${name}.className = '${field} ${pick(WORDS)}';`,
          `${name}.textContent = '${this.#sentence()} ' + ${other};`,
        ],
        () => [
          `const ${name} = { ${field}: ${other}, at: Date.now(), ${pick(VERBS)}: (value) => Math.round(value * ${below(100)}) / 100 };`,
        ],
        () => [
          `if (${other} === undefined || ${list}.length > ${below(900)}) {`,
          `  throw new RangeError('${this.#sentence()}');`,
          '}',
          `const ${name} = ${list}.map(({ ${field}, caption = '${pick(WORDS)}' }) => [caption, ${field}]);`,
        ],
        () => [
          `let ${name} = '${pick(WORDS)}';`,
          `switch (${other}) {`,
          `  case '${pick(WORDS)}-a':`,
          `    ${name} = String(${list}.length);`,
          '    break;',
          `  case ${below(500)}:`,
          '  default:',
          `    ${name} += '${pick(NOUNS)}'.padStart(${below(20)});`,
          '}',
        ],
        () => [
          `const ${name} = new Map();`,
          `for (const item of ${list}) {`,
          `  const before = ${name}.get(item.${field}) ?? [];`,
          `  ${name}.set(item.${field}, [...before, item.${pick(NOUNS)}]);`,
          '}',
        ],
        () => [
          `const ${name} = /^(\\d{${1 + below(4)}})-([a-z]+)\\s*$/.exec(String(${other}));`,
          `if (${name} !== null && Number(${name}[1]) % ${2 + below(9)} === 0) return ${name}[2];`,
        ],
        () => [
          `// ${this.#sentence()}`,
          `const ${name} = ${list}.reduce((sum, { ${field} }) => sum + (${field} || ${below(9)}), ${below(40)});`,
        ],
        () => [
          `let ${name};`,
          'try {',
          `  ${name} = JSON.parse(String(${other})).${field};`,
          '} catch (error) {',
          `  ${name} = { ${field}: null, reason: error.message };`,
          '}',
        ],
        () => this.#call(name, list, other),
      ])();
      written.push(...statement);
      names.push(name);
    }
    if (isAsync)
      written.push(`await new Promise((done) => document.addEventListener('${pick(VERBS)}', done, { once: true }));`);
    written.push(`return ${names[names.length - 1]};`);
    return written;
  }

  #call(name: string, list: string, key: string): string[] {
    if (this.#functions.length === 0) return [`const ${name} = [${list}, ${key}];`];
    return [`const ${name} = ${this.#random.pick(this.#functions)}(${list}.slice(${this.#random.below(9)}), ${key});`];
  }
}
