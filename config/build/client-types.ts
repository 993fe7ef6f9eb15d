/**
 * Writes the types of the package `waypost-client` from the OpenAPI document: the components as
 * interfaces, and a union of the routes, from which its calls are typed.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
}

type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = `/** Types of the API. Written by the build from the schemas of the routes. */

/** What types a call. \`Query\`, \`Body\`, \`Response\`: of its values. */
export interface Route<Method, Path, Query, Body, Response> {
  readonly method: Method;
  readonly path: Path;
  readonly query?: { readonly [K in keyof Query]-?: { readonly static: Exclude<Query[K], undefined> } };
  readonly body?: [Body] extends [never] ? never : { readonly static: Body };
  readonly response?: [Response] extends [never] ? never : { readonly static: Response };
}
`;

const JSON_TYPE = 'application/json';

/** Of components that would hide a global type. */
const RENAMED: Readonly<Record<string, string>> = { Record: 'DnsRecord' };

/** The source of api.d.ts. */
export function clientTypes(document: unknown): string {
  const { paths, components } = document as Document;
  const interfaces = Object.entries(components.schemas)
    .filter(([name]) => name !== 'Error')
    .map(([name, schema]) => `${comment(schema)}export type ${RENAMED[name] ?? name} = ${typeOf(schema, '')};\n`);
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => routeOf(method, path, operation)),
  );
  return `${HEAD}\n${interfaces.join('\n')}\nexport type ApiRoute =\n${routes.join('\n')};\n`;
}

function routeOf(method: string, path: string, { parameters = [], requestBody, responses }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(query.map(({ name = '', schema = {} }) => [name, schema]));
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const response = responses['200'].content?.[JSON_TYPE]?.schema;
  const types = [
    `'${method.toUpperCase()}'`,
    `'${path}'`,
    query.length === 0 ? 'Record<never, never>' : typeOf({ type: 'object', properties }, '      '),
    body === undefined ? 'never' : typeOf(body, '      '),
    response === undefined ? 'never' : typeOf(withoutOk(response), '      '),
  ];
  return `  | Route<\n${types.map((type) => `      ${type}`).join(',\n')}\n    >`;
}

/** Calls add `ok`. */
function withoutOk({ properties = {}, required = [], ...schema }: Schema): Schema {
  const { ok: _, ...others } = properties;
  return { ...schema, properties: others, required: required.filter((name) => name !== 'ok') };
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, anyOf, allOf, enum: choices, const: constant, type, items, properties, required = [] } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return RENAMED[name] ?? name;
  }
  if (constant !== undefined) return literal(constant);
  if (choices !== undefined) return choices.map(literal).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map((choice) => typeOf(choice, indent)))].join(' | ');
  if (allOf !== undefined) return allOf.map((part) => typeOf(part, indent)).join(' & ');
  if (type === 'array') return `readonly (${typeOf(items ?? {}, indent)})[]`;
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).filter(([, field]) => field.readOnly !== true);
    if (schema.additionalProperties === true) return '{ readonly [name: string]: unknown }';
    if (fields.length === 0) return 'Record<never, never>';
    const inner = `${indent}  `;
    const lines = fields.map(
      ([name, field]) =>
        `${comment(field, inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)};\n`,
    );
    return `{\n${lines.join('')}${indent}}`;
  }
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  return type === 'integer' || type === 'number' ? 'number' : 'unknown';
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);

const comment = ({ description }: Schema, indent = ''): string =>
  description === undefined || description === '' ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`;
