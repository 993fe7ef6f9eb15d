/**
 * Converts the schemas of the routes to those of the document. TypeBox schemas are JSON Schema,
 * which OpenAPI 3.1 uses (OpenAPI 3.1.1, 4.8.24). A schema with a `title` becomes a component of
 * that name, written once and referenced.
 */

/** JSON Schema, or any other part of the document. */
export interface Part {
  readonly [key: string]: unknown;
}

export class Schemas {
  readonly #components = new Map<string, Part>();
  /** Caches references to components, because most components are used many times. */
  readonly #references = new Map<object, Part>();

  /** The schema as plain JSON. Throws Error if two different schemas have the same title. */
  plain(schema: object): Part {
    return this.#walk(schema) as Part;
  }

  /** The schemas with a title, by title. */
  components(): Record<string, Part> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Copies a value without undefined fields and TypeBox symbols, which JSON does not have. */
  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (typeof value !== 'object' || value === null) return value;
    const before = this.#references.get(value);
    if (before !== undefined) return before;
    const { title, ...rest } = value as Part;
    const walked: Record<string, unknown> = {};
    for (const key of Object.keys(rest)) if (rest[key] !== undefined) walked[key] = this.#walk(rest[key]);
    if (typeof title === 'string') {
      this.#add(title, walked);
      const reference = { $ref: `#/components/schemas/${title}` };
      this.#references.set(value, reference);
      return reference;
    }
    // An object may have a property named "title", whose value is a schema.
    if (title !== undefined) walked.title = this.#walk(title);
    return walked;
  }

  #add(title: string, schema: Part): void {
    const before = this.#components.get(title);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(`two schemas that differ have the title ${title}`);
    this.#components.set(title, schema);
  }
}
