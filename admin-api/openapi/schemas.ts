/**
 * From the schemas of the routes to those of the document. TypeBox schemas are JSON Schema already, which OpenAPI 3.1 is made of (OpenAPI 3.1.1, 4.8.24); what
 * has a `title` is written once, as a component of that name, and referred to.
 */

/** JSON Schema, or any other part of the document. */
export interface Part {
  readonly [key: string]: unknown;
}

export class Schemas {
  readonly #components = new Map<string, Part>();

  /** The schema as plain JSON. Throws Error when two schemas that differ have one title. */
  plain(schema: object): Part {
    return this.#walk(JSON.parse(JSON.stringify(schema))) as Part;
  }

  /** Those with a title, by their title. */
  components(): Record<string, Part> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `value` is plain JSON: what TypeBox keeps beside it, under symbols, is gone. */
  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#walk(one));
    if (typeof value !== 'object' || value === null) return value;
    const { title, ...rest } = value as Part;
    const walked = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, this.#walk(inner)]));
    // A property of an object may be called "title" too: its value is a schema then.
    if (typeof title !== 'string') return title === undefined ? walked : { ...walked, title: this.#walk(title) };
    this.#add(title, walked);
    return { $ref: `#/components/schemas/${title}` };
  }

  #add(title: string, schema: Part): void {
    const before = this.#components.get(title);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(`two schemas that differ have the title ${title}`);
    this.#components.set(title, schema);
  }
}
