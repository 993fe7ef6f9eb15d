/** Generates the JSON text of a response with a list in chunks. */

/** Characters of a chunk. */
const CHUNK = 32 * 1024;

export class ListText {
  #text: string;
  #count = 0;

  /** `field`: the name of the list in the response. */
  constructor(field: string) {
    this.#text = `{"ok":true,"${field}":[`;
  }

  /** Items so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether `take` returns a full chunk. */
  get isFull(): boolean {
    return this.#text.length >= CHUNK;
  }

  /** `item`: its JSON text. */
  add(item: string): void {
    this.#text += this.#count++ === 0 ? item : `,${item}`;
  }

  /** Returns the text since the last chunk. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Returns the last chunk. `fields`: the fields after the list. */
  end(fields: object): string {
    return `${this.take()}],${JSON.stringify(fields).slice(1)}`;
  }
}
