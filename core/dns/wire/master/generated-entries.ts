/** `$GENERATE range owner [ttl] [class] type content`: one entry for each number of the range. */
import { shown } from '../rdata/fields.ts';
import { type CurrentEntry, fail } from './entry.ts';
import { compileTemplate, countOf, MAX_GENERATED, MAX_GENERATED_TEXT, readRange, type Template } from './generate.ts';
import { ADJACENT, QUOTED } from './lexer.ts';

const EXAMPLE = '"$GENERATE 1-10 host-$ A 192.0.2.$"';
/** Fields of a directive before its TTL, class and type. */
const GENERATE_HEADER = 3;
/** Characters of generated entries that are read at once. */
const CHUNK = 16 * 1024;

export class GeneratedEntries {
  readonly #entry: CurrentEntry;
  readonly #maxCount: number;
  /** Of all directives of the file. */
  #count = 0;
  #textLength = 0;

  /** `maxCount`: maximum number of records. */
  constructor(entry: CurrentEntry, maxCount: number) {
    this.#entry = entry;
    this.#maxCount = Math.min(maxCount, MAX_GENERATED);
  }

  /** The number of records if it is above the maximum; they are not made. */
  get excess(): number | null {
    return this.#count > this.#maxCount ? this.#count : null;
  }

  /**
   * The text of the entries that the current directive makes, in pieces. `readHeader` reads TTL,
   * class and type, and returns the index of the first field of the content. Throws InvalidError.
   */
  *expand(readHeader: (from: number) => number): Generator<string> {
    const entry = this.#entry;
    if (entry.lexer.count < GENERATE_HEADER + 2)
      fail(`$GENERATE requires a range, an owner, a type and content, as in ${EXAMPLE}.`);
    const range =
      readRange(entry.text(1)) ??
      fail(`${entry.shown(1)} is not a range; write start-stop or start-stop/step, as in ${EXAMPLE}.`);
    this.#count += countOf(range);
    if (this.excess !== null)
      fail(`The $GENERATE directives of the file make more than ${this.#maxCount} records, the limit.`);
    const contentAt = readHeader(GENERATE_HEADER);
    let header = '';
    for (let i = GENERATE_HEADER; i < contentAt; i++) header += ` ${entry.text(i)}`;
    const owner = compile(entry.text(2));
    const content = compile(this.#contentFrom(contentAt));
    const { start, stop, step } = range;
    let entries = '';
    for (let value = start; value <= stop; value += step) {
      entries += `${owner(value)}${header} ${content(value)}\n`;
      if (entries.length < CHUNK && value + step <= stop) continue;
      this.#textLength += entries.length;
      if (this.#textLength > MAX_GENERATED_TEXT)
        fail(`The $GENERATE directives of the file make more than ${MAX_GENERATED_TEXT} bytes of text, the limit.`);
      yield entries;
      entries = '';
    }
  }

  /** Content of several fields is one quoted text for BIND, and several words for PowerDNS. */
  #contentFrom(from: number): string {
    const entry = this.#entry;
    const { count, flags } = entry.lexer;
    if (count === from + 1 && flags[from] & QUOTED) return entry.text(from).replaceAll('\\"', '"');
    let content = '';
    for (let i = from; i < count; i++) {
      const space = flags[i] & ADJACENT ? '' : ' ';
      content += flags[i] & QUOTED ? `${space}"${entry.text(i)}"` : `${space}${entry.text(i)}`;
    }
    return content;
  }
}

function compile(text: string): Template {
  return compileTemplate(text) ?? fail(`${shown(text)} has a wrong \${…}; write \${offset,width,base}.`);
}
