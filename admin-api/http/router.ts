/** Matches paths to routes with a tree of path segments, which is built once. */
import { HttpError } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Params = Readonly<Record<string, string>>;

interface Node<R> {
  readonly literal: Map<string, Node<R>>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  readonly routes: Map<string, R>;
}

const node = <R>(): Node<R> => ({ literal: new Map(), parameter: undefined, routes: new Map() });

type Match<R> =
  | { readonly kind: 'route'; readonly route: R; readonly params: Params; readonly headOnly: boolean }
  /** OPTIONS of an existing path. */
  | { readonly kind: 'options'; readonly allow: string };

interface Routed {
  readonly method: Method;
  readonly path: string;
  /** A GET that changes something has no HEAD, which must be safe (RFC 9110 section 9.2.1). */
  readonly changes?: boolean;
}

export class Router<R extends Routed> {
  readonly #root = node<R>();

  /** A path has the form `/api/v1/domains/{domain_id}`. */
  constructor(routes: Iterable<R>) {
    for (const route of routes) {
      let at = this.#root;
      for (const segment of route.path.slice(1).split('/')) at = findOrAddChild(at, segment);
      if (at.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
      at.routes.set(route.method, route);
    }
  }

  /**
   * HEAD uses the route of a GET that is safe. Throws HttpError 400 (escapes), 404 and 405 (with
   * Allow).
   */
  match(method: string, path: string): Match<R> {
    const params: Record<string, string> = {};
    let at: Node<R> | undefined = this.#root;
    for (let start = 1; at !== undefined && start <= path.length; ) {
      const slash = path.indexOf('/', start);
      const end = slash < 0 ? path.length : slash;
      const segment = decodeSegment(path.slice(start, end));
      const literal: Node<R> | undefined = at.literal.get(segment);
      if (literal !== undefined) at = literal;
      else {
        if (at.parameter !== undefined) params[at.parameter.name] = segment;
        at = at.parameter?.node;
      }
      start = end + 1;
    }
    if (at === undefined || at.routes.size === 0 || path.endsWith('/')) throw noSuchEndpoint(path);
    const isHead = method === 'HEAD';
    const route = at.routes.get(isHead ? 'GET' : method);
    if (route !== undefined && !(isHead && route.changes === true))
      return { kind: 'route', route, params, headOnly: isHead };
    const allow = allowHeader(at.routes);
    if (method === 'OPTIONS') return { kind: 'options', allow };
    throw new HttpError(405, 'method_not_allowed', `This endpoint supports only ${allow}.`, {
      headers: { Allow: allow },
    });
  }
}

function findOrAddChild<R>(at: Node<R>, segment: string): Node<R> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name !== undefined) {
    at.parameter ??= { name, node: node<R>() };
    return at.parameter.node;
  }
  let next = at.literal.get(segment);
  if (next === undefined) {
    next = node<R>();
    at.literal.set(segment, next);
  }
  return next;
}

function allowHeader(routes: ReadonlyMap<string, Routed>): string {
  const get = routes.get('GET');
  const head = get === undefined || get.changes === true ? [] : ['HEAD'];
  return [...routes.keys(), ...head, 'OPTIONS'].sort().join(', ');
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'bad_escape', 'The path has a percent escape that is not valid UTF-8; write % as %25.');
  }
}

const noSuchEndpoint = (path: string): HttpError =>
  new HttpError(
    404,
    'no_such_endpoint',
    `There is no endpoint ${JSON.stringify(path.slice(0, 200))}. GET /api/v1/openapi.json lists all; "waypost token create --login NAME" or POST /api/v1/auth/token creates the token that most of them need.`,
  );
