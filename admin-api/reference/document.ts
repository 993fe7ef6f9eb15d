/** The OpenAPI document of the service, as the pages read it. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly readOnly?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string | number;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-scope'?: string;
  readonly 'x-role'?: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

export interface Operation extends Described {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

export class Reference {
  readonly version: string;
  readonly introduction: string;
  /** By tag, in the order of the document. */
  readonly groups: readonly Group[];
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(private readonly document: OpenApi) {
    this.version = document.info.version;
    this.introduction = document.info.description;
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => this.#operation(method, path, described)),
    );
    this.#operations = new Map(operations.map((operation) => [operation.operationId, operation]));
    this.groups = document.tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ tags }) => tags.includes(name)),
    }));
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** A part that a reference names, or the part itself. */
  resolve<T extends { readonly $ref?: string }>(part: T): T {
    if (part.$ref === undefined) return part;
    const [, kind, name] = part.$ref.slice('#/'.length).split('/');
    return this.document.components[kind][name] as T;
  }

  #operation(method: string, path: string, described: Described): Operation {
    const parameters = (described.parameters ?? []).map((parameter) => this.resolve(parameter));
    return { ...described, method: method.toUpperCase(), path, parameters };
  }
}

/** The groups with the operations that have all words in their texts. Without words, all. */
export function searchGroups(groups: readonly Group[], query: string): readonly Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  const matches = ({ operationId, method, path, summary, tags, 'x-codeSamples': samples }: Operation): boolean => {
    const command = samples.find(({ label }) => label === 'CLI')?.source ?? '';
    const text = `${operationId} ${method} ${path} ${summary} ${tags.join(' ')} ${command}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter(matches) }))
    .filter(({ operations }) => operations.length > 0);
}

/** Throws Error if the document cannot be loaded. */
export async function loadReference(): Promise<Reference> {
  const response = await fetch('/api/v1/openapi.json', { credentials: 'omit' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return new Reference((await response.json()) as OpenApi);
}
