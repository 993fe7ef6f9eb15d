/** Describes the proxy of a domain, sets its origin, and turns it on and off. */
import { type Exemptions, type Prefix, parseAddress } from '../../core/address/index.ts';
import { InvalidError, StateError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { type Domain, type Protocol, type ProxyConfig, proxies } from '../../core/store/rows.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';
import { type ChangeResult, change } from '../change/change.ts';
import type { Services } from '../change/services.ts';
import { ownedDomain } from '../domains/owned.ts';
import type { Caller } from '../http/caller.ts';
import type { Context, Reply } from '../http/route.ts';
import { nowSeconds } from '../http/time.ts';
import type { Resolve } from './bounded.ts';
import { findExposed } from './exposed.ts';
import { checkOrigin, type OriginOptions } from './origin.ts';
import { rejectLoop, resolveOwnFirst } from './own-names.ts';
import { noProxy, proxyReply } from './view.ts';

/** Settings for the check of origins. */
export interface OriginRules {
  readonly resolve: Resolve;
  readonly allowPrivate: Exemptions;
  /** Addresses of the cluster. */
  readonly own: readonly Prefix[];
}

export interface OriginBody {
  readonly origin?: string;
  readonly origin_host?: string;
  readonly port?: number;
  readonly origin_port?: number;
  readonly protocol?: Protocol;
  readonly origin_protocol?: Protocol;
  readonly hsts_max_age?: number | null;
  readonly heuristic_freshness?: boolean;
}

/** Throws HttpError 404. */
export async function describeProxy(services: Services, { caller, params }: Context<Caller>) {
  const domain = ownedDomain(services.reader, caller, params.domain_id);
  const row = services.reader.proxy(domain.id) ?? noProxy(domain.id);
  const warnings = row.enabled && row.originHost !== null ? loopWarnings(services, domain, row.originHost) : [];
  return proxyReply(domain, row, await findExposed(services, domain, row.originHost), warnings);
}

/**
 * A warning if the origin's name is now proxied: records may have changed since the proxy was
 * turned on.
 */
function loopWarnings(services: Services, domain: Domain, host: string): string[] {
  try {
    if (parseAddress(host) === undefined) rejectLoop(services, domain, host);
    return [];
  } catch (error) {
    if (error instanceof InvalidError) return [error.message];
    throw error;
  }
}

/**
 * Sets the origin, without turning the proxy on or off. Throws HttpError 404 and 503, and
 * InvalidError.
 */
export async function setOrigin(services: Services, rules: OriginRules, context: Context<Caller>, body: OriginBody) {
  const { text, pointer, port, protocol } = readOrigin(body);
  const ownDomain = ownedDomain(services.reader, context.caller, context.params.domain_id);
  const { host } = await withPointer(pointer, () => checkOrigin(text, optionsFor(services, rules, ownDomain)));
  return changeProxy(services, context, async (draft, domain) => {
    const before = draft.proxy(domain.id);
    const row: ProxyConfig = {
      ...(before ?? noProxy(domain.id)),
      originHost: host,
      originPort: port,
      originProtocol: protocol,
      ...(body.hsts_max_age === undefined ? {} : { hstsMaxAge: body.hsts_max_age }),
      ...(body.heuristic_freshness === undefined ? {} : { heuristicFreshness: body.heuristic_freshness }),
      updatedAt: nowSeconds(),
    };
    const exposed = await findExposed(services, domain, host);
    draft.put(proxies, row);
    const detail = before?.originHost == null ? auditDetail(row) : { ...auditDetail(row), before: auditDetail(before) };
    return { action: 'proxy.update', detail, createResponse: () => proxyReply(domain, row, exposed) };
  });
}

/**
 * Throws HttpError 404, InvalidError for an origin that is not allowed, and StateError
 * `origin_required`.
 */
export function toggleProxy(services: Services, rules: OriginRules, context: Context<Caller>, enable: boolean) {
  return changeProxy(services, context, async (draft, domain) => {
    const before = draft.proxy(domain.id) ?? noProxy(domain.id);
    const unchanged = before.enabled === enable;
    let row = before;
    if (!unchanged) {
      const origin = enable ? await requireOrigin(services, rules, draft, domain, before) : {};
      // The edge orders the first certificate when it reads the order.
      const order = enable && before.sslStatus === 'none';
      const now = nowSeconds();
      row = {
        ...before,
        ...origin,
        ...(order ? { sslStatus: 'pending', orderRequestedAt: now } : {}),
        enabled: enable,
        disabledAt: enable ? null : now,
        updatedAt: now,
      };
      draft.put(proxies, row);
    }
    const exposed = await findExposed(services, domain, row.originHost);
    const action = enable ? 'proxy.enable' : 'proxy.disable';
    return { action, unchanged, detail: auditDetail(row), createResponse: () => proxyReply(domain, row, exposed) };
  });
}

/** Changes the proxy settings of a domain; changes of one domain run one at a time. */
export function changeProxy<R extends Reply>(
  services: Services,
  context: Context<Caller>,
  work: (draft: Draft, domain: Domain) => Promise<Omit<ChangeResult<R>, 'domain' | 'target'>>,
): Promise<R> {
  const { caller, params } = context;
  const commit = () =>
    change(services, context, async (draft) => {
      const domain = ownedDomain(draft, caller, params.domain_id);
      return { ...(await work(draft, domain)), domain, target: domain.id };
    });
  // Concurrent with writes to records, which share the key of the domain; a deletion is exclusive.
  return services.turns.shared(params.domain_id, () => services.turns.exclusive(`${params.domain_id} /proxy`, commit));
}

function readOrigin(body: OriginBody): { text: string; pointer: string; port: number; protocol: Protocol } {
  const text = oneOf(body, 'origin', 'origin_host');
  if (text === undefined)
    throw new InvalidError(
      'validation',
      '"origin" is missing; it must be a string, a public IPv4 or IPv6 address or a host name.',
      { pointer: '/origin' },
    );
  const pointer = body.origin === undefined ? '/origin_host' : '/origin';
  const port = oneOf(body, 'port', 'origin_port') ?? 443;
  const protocol = oneOf(body, 'protocol', 'origin_protocol') ?? STANDARD.get(port);
  if (protocol !== undefined) return { text, pointer, port, protocol };
  throw new InvalidError(
    'protocol_required',
    `Port ${port} is neither 443 nor 80: set "protocol" to "http" or "https".`,
    { pointer: '/protocol' },
  );
}

const STANDARD: ReadonlyMap<number, Protocol> = new Map([
  [443, 'https'],
  [80, 'http'],
]);

/** A field has two names, because a client may also send back the field of a response. */
function oneOf<A extends keyof OriginBody, B extends keyof OriginBody>(
  body: OriginBody,
  name: A,
  other: B,
): OriginBody[A] | OriginBody[B] {
  if (body[name] !== undefined && body[other] !== undefined && body[name] !== body[other])
    throw new InvalidError('contradiction', `"${name}" and "${other}" are the same setting; send one of them.`, {
      pointer: `/${other}`,
    });
  return body[name] ?? body[other];
}

function optionsFor(services: Services, { resolve, allowPrivate, own }: OriginRules, domain: Domain): OriginOptions {
  return { resolve: resolveOwnFirst(services, domain, resolve, allowPrivate), allowPrivate, own };
}

/**
 * The origin when the proxy is turned on: the configured one, otherwise the first address of the
 * domain.
 */
async function requireOrigin(
  services: Services,
  rules: OriginRules,
  draft: Draft,
  domain: Domain,
  { originHost }: ProxyConfig,
): Promise<Partial<ProxyConfig>> {
  if (originHost !== null) {
    // The edge checks each resolved address. Our records and the rules may have changed since the
    // origin was set.
    await withPointer(undefined, async () => {
      if (parseAddress(originHost) === undefined) rejectLoop(services, domain, originHost);
      else await checkOrigin(originHost, optionsFor(services, rules, domain));
    });
    return {};
  }
  const records = draft.recordsAt(domain.id, domain.apex);
  const address = (type: number): string[] =>
    records
      .filter((record) => record.type === type)
      .sort((a, b) => Buffer.compare(a.rdata, b.rdata))
      .map((record) => formatRdata(type, record.rdata));
  const [found] = [...address(TYPE.A), ...address(TYPE.AAAA)];
  if (found === undefined)
    throw new StateError(
      'origin_required',
      'The proxy has no origin, and the apex has no A or AAAA record to use as the origin. Set the origin first, with PUT …/proxy.',
    );
  const { host } = await withPointer(undefined, () => checkOrigin(found, optionsFor(services, rules, domain)));
  return { originHost: host, originPort: 443, originProtocol: 'https' };
}

/** Replaces the pointer `/origin` of the check by the field of the request, if there is one. */
async function withPointer<T>(pointer: string | undefined, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InvalidError && error.pointer !== pointer)
      throw new InvalidError(error.code, error.message, { pointer });
    throw error;
  }
}

/** The details of the proxy in the audit log. */
const auditDetail = ({ originHost, originPort, originProtocol, hstsMaxAge, heuristicFreshness }: ProxyConfig) => ({
  origin_host: originHost,
  origin_port: originPort,
  origin_protocol: originProtocol,
  ...(hstsMaxAge == null ? {} : { hsts_max_age: hstsMaxAge }),
  ...(heuristicFreshness ? { heuristic_freshness: true } : {}),
});
