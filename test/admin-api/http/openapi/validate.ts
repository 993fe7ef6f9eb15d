/** Checks responses against the OpenAPI document, which must describe all of them. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** A part of the document, for access to any property: a missing one is undefined. */
export interface Part {
  readonly [key: string]: Part;
}

const ID = 'openapi';

/** Statuses of requests that match no endpoint. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405]);

/**
 * Null when the answer is as the document says, else what is wrong. `template`: the path as the
 * document writes it; null: none of its paths was meant. `body`: parsed JSON; undefined when there
 * was none, or when it is no JSON, but of `type` (a media type without parameters). A field that
 * the document does not name is a fault. An unforeseen error (500) always is.
 */
export function documented(
  document: object,
  method: string,
  template: string | null,
  status: number,
  body: unknown,
  type?: string,
): string | null {
  const doc = document as Part;
  const at = `${method} ${template} ${status}`;
  if (method === 'OPTIONS' && status === 200) return body === undefined ? null : `${at}: OPTIONS has no body`;
  if (status === 500) return `${at}: an error that was not foreseen`;
  const path = template === null ? undefined : doc.paths[template];
  if (template !== null && path === undefined) return `${at}: the document has no such path`;
  const operation = path?.[(method === 'HEAD' ? 'get' : method.toLowerCase()) as string];
  const isHead = method === 'HEAD';
  if (operation === undefined) {
    // Rejected before an endpoint was matched, or without one.
    if (template !== null && status === 404) return `${at}: the document has no such operation`;
    if (!NO_ENDPOINT.has(status) && status < 400) return `${at}: the document has no such operation`;
    return isHead ? null : check(doc, ['components', 'schemas', 'Error'], at, body);
  }
  const listed = operation.responses[String(status)];
  // Errors of HTTP itself are listed once, as "default".
  const own = ['paths', template!, (isHead ? 'get' : method.toLowerCase()) as string, 'responses'];
  const [response, location] = resolved(doc, listed ?? operation.responses.default, [
    ...own,
    listed === undefined ? 'default' : String(status),
  ]);
  if (listed === undefined && status < 400) return `${at}: the status is not documented`;
  if (isHead) return null;
  const json = response.content?.['application/json'];
  if (json === undefined) return body === undefined ? null : `${at}: JSON came where none is documented`;
  if (json.schema === undefined) return null;
  if (body === undefined && type !== undefined && type in response.content) return null;
  if (body === undefined) return `${at}: no JSON came where it is documented`;
  return check(doc, [...location, 'content', 'application/json', 'schema'], at, body);
}

/** A shared response is in the components. */
function resolved(doc: Part, response: Part, location: readonly string[]): readonly [Part, readonly string[]] {
  if (response.$ref === undefined) return [response, location];
  const there = String(response.$ref).slice('#/'.length).split('/');
  return [there.reduce((at, key) => at[key], doc), there];
}

/** Caches compiled schemas, because compilation is slow and one document is used often. */
const validators = new WeakMap<object, { readonly ajv: Ajv2020; readonly by: Map<string, ValidateFunction> }>();

function check(document: Part, where: readonly string[], at: string, body: unknown): string | null {
  let { ajv, by } = validators.get(document) ?? {};
  if (ajv === undefined || by === undefined) {
    // The rest of the document is not JSON Schema, so only its formats are strict. Few answers are
    // checked by one schema: compiling it takes more than running it.
    ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      validateSchema: false,
      code: { optimize: false },
      inlineRefs: false,
    });
    ajv.addSchema(closed(document) as object, ID);
    by = new Map();
    validators.set(document, { ajv, by });
  }
  const pointer = where.map((part) => `/${encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))}`).join('');
  let validate = by.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `${ID}#${pointer}` });
    by.set(pointer, validate);
  }
  if (validate(body)) return null;
  const faults = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const { additionalProperty: more, allowedValues: allowed } = params;
    return `${instancePath || '/'} ${message}${more === undefined ? '' : ` (${more})`}${allowed === undefined ? '' : ` (${allowed})`}`;
  });
  return `${at}: ${faults.join('; ')}: ${JSON.stringify(body).slice(0, 300)}`;
}

/**
 * A copy in which objects have no properties but those that they name. Parts of an allOf only
 * narrow what another part names.
 */
function closed(value: unknown, narrows = false): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item, narrows));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = closed(inner, narrows || key === 'allOf');
  const isObject = copy.type === 'object' && !('additionalProperties' in copy);
  return isObject && !narrows ? { ...copy, additionalProperties: false } : copy;
}
