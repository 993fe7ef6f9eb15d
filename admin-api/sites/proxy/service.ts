/** Describes the proxy of a domain, sets its origin, and turns it on and off. */
import { InvalidError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Domain, type Protocol, type ProxyConfig, proxies } from '../../../core/store/rows.ts';
import { type ChangeResult, change } from '../../change/change.ts';
import { editableDomain, ownedDomain, requireMatch } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context, Reply } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { checkOrigin } from './origin.ts';
import { type OriginRules, optionsFor } from './origin-rules.ts';
import type { originBody } from './schema.ts';
import { auditSettings, readSettings, type SettingsBody } from './settings.ts';
import { findState } from './state.ts';
import { DEFAULT_PORT, noProxy, proxyReply } from './view.ts';
import { checkResolved } from './warnings.ts';

type OriginBody = BodyOf<typeof originBody>;

/** Throws HttpError 404. */
export async function describeProxy(services: Services, rules: OriginRules, { caller, params }: Context<Caller>) {
  const domain = ownedDomain(services.reader, caller, parseId(params.domain_id));
  const row = services.reader.proxy(domain.id) ?? noProxy(domain.id);
  return proxyReply(domain, row, await findState(services, rules, services.reader, domain, row));
}

/**
 * Sets the origin, without turning the proxy on or off. Throws HttpError 404 and 503, and
 * InvalidError.
 */
export async function setOrigin(services: Services, rules: OriginRules, context: Context<Caller>, body: OriginBody) {
  const { text, pointer, port, protocol } = readOrigin(body);
  const ownDomain = editableDomain(services.reader, context.caller, parseId(context.params.domain_id));
  const { host, addresses } = await withPointer(pointer, () =>
    checkOrigin(text, optionsFor(services, rules, ownDomain)),
  );
  return changeProxy(services, context, async (draft, domain) => {
    const before = draft.proxy(domain.id);
    const old = before ?? noProxy(domain.id);
    const row: ProxyConfig = {
      ...old,
      ...readSettings(body, old),
      originHost: host,
      originAddresses: addresses.slice(0, MAX_ADDRESSES),
      originPort: port,
      originProtocol: protocol,
      updatedAt: nowSeconds(),
    };
    const state = await findState(services, rules, draft, domain, row);
    draft.put(proxies, row);
    const detail = before?.originHost == null ? auditDetail(row) : { ...auditDetail(row), before: auditDetail(before) };
    return { action: 'proxy.update', detail, createResponse: () => proxyReply(domain, row, state) };
  });
}

/** Omitted settings keep their values. Throws HttpError 404, InvalidError `hsts_preload`. */
export function updateSettings(services: Services, rules: OriginRules, context: Context<Caller>, body: SettingsBody) {
  return changeProxy(services, context, async (draft, domain) => {
    const before = draft.proxy(domain.id) ?? noProxy(domain.id);
    const row: ProxyConfig = { ...before, ...readSettings(body, before), updatedAt: nowSeconds() };
    draft.put(proxies, row);
    const state = await findState(services, rules, draft, domain, row);
    const detail = { ...auditDetail(row), before: auditDetail(before) };
    return { action: 'proxy.update', detail, createResponse: () => proxyReply(domain, row, state) };
  });
}

/**
 * Turns the proxy on or off, whatever its origin is: an origin that cannot be used is a warning.
 * Throws HttpError 404 and 412.
 */
export function toggleProxy(services: Services, rules: OriginRules, context: Context<Caller>, enable: boolean) {
  return changeProxy(services, context, async (draft, domain) => {
    requireMatch(services, draft, domain, context.header('if-match'));
    const before = draft.proxy(domain.id) ?? noProxy(domain.id);
    const unchanged = before.enabled === enable;
    let row = before;
    if (!unchanged) {
      // The edge orders the first certificate when it reads the order.
      const order = enable && before.sslStatus === 'none';
      const now = nowSeconds();
      row = {
        ...before,
        ...(order ? { sslStatus: 'pending', orderRequestedAt: now } : {}),
        enabled: enable,
        disabledAt: enable ? null : now,
        updatedAt: now,
      };
      draft.put(proxies, row);
    }
    const found = await findState(services, rules, draft, domain, row);
    const { originHost } = row;
    const resolved = enable && originHost !== null ? await checkResolved(services, rules, domain, originHost) : [];
    const state = { ...found, warnings: [...new Set([...resolved, ...found.warnings])] };
    const action = enable ? 'proxy.enable' : 'proxy.disable';
    return { action, unchanged, detail: auditDetail(row), createResponse: () => proxyReply(domain, row, state) };
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
      const domain = editableDomain(draft, caller, parseId(params.domain_id));
      return { ...(await work(draft, domain)), domain, target: domain.id };
    });
  // Concurrent with writes to records, which share the key of the domain; a deletion is exclusive.
  return services.locks.shared(params.domain_id, () => services.locks.exclusive(`${params.domain_id} /proxy`, commit));
}

/** Maximum stored addresses of an origin. */
const MAX_ADDRESSES = 32;

function readOrigin(body: OriginBody): { text: string; pointer: string; port: number; protocol: Protocol } {
  const text = oneOf(body, 'origin', 'origin_host');
  if (text === undefined)
    throw new InvalidError(
      'validation',
      '"origin" is missing; it must be a string, a public IPv4 or IPv6 address or a host name.',
      { pointer: '/origin' },
    );
  const pointer = body.origin === undefined ? '/origin_host' : '/origin';
  const port = oneOf(body, 'port', 'origin_port') ?? DEFAULT_PORT;
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
  const second = body[other] === '' ? undefined : body[other];
  if (body[name] !== undefined && second !== undefined && body[name] !== second)
    throw new InvalidError('contradiction', `"${name}" and "${other}" are the same setting; send one of them.`, {
      pointer: `/${other}`,
    });
  return body[name] ?? second;
}

/** Replaces the pointer `/origin` of the check by the field of the request, if there is one. */
async function withPointer<T>(pointer: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InvalidError && error.pointer !== pointer)
      throw new InvalidError(error.code, error.message, { pointer });
    throw error;
  }
}

/** The details of the proxy in the audit log. */
const auditDetail = (row: ProxyConfig) => ({
  origin_host: row.originHost,
  origin_port: row.originPort,
  origin_protocol: row.originProtocol,
  ...auditSettings(row),
});
