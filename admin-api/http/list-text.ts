/** The JSON text of a response with a list, made in chunks. */

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

  /** Whether `take` gives a whole chunk. */
  get isFull(): boolean {
    return this.#text.length >= CHUNK;
  }

  /** `item`: its JSON text. */
  add(item: string): void {
    this.#text += this.#count++ === 0 ? item : `,${item}`;
  }

  /** Text since the last chunk. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** The last chunk. `fields`: those after the list. */
  end(fields: object): string {
    return `${this.take()}],${JSON.stringify(fields).slice(1)}`;
  }
}
