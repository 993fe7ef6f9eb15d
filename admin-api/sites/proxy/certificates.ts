/**
 * Orders a new certificate for a domain, installs a custom one, or returns to the automatic one.
 */
import { StateError } from '../../../core/base/errors.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import {
  certificateContext,
  certificates,
  type ProxyConfig,
  proxies,
  rsaCertificates,
  UPLOADED_SLOT,
} from '../../../core/store/rows.ts';
import { editableDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { type CheckedCertificate, checkCertificate, checkRsaCertificate } from './certificate.ts';
import type { OriginRules } from './origin-rules.ts';
import type { certificateBody } from './schema.ts';
import { changeProxy } from './service.ts';
import { findState } from './state.ts';
import { noProxy, proxyReply } from './view.ts';

/**
 * The edge orders the certificate when it reads the request. Throws HttpError 404, StateError
 * `proxy_disabled`, `certificate_custom`.
 */
export function orderCertificate(services: Services, rules: OriginRules, context: Context<Caller>) {
  return changeProxy(services, context, async (draft, domain) => {
    const before = draft.proxy(domain.id);
    if (before?.enabled !== true)
      throw new StateError(
        'proxy_disabled',
        'A certificate can only be ordered while the proxy is on; turn it on first.',
      );
    if (draft.certificate(domain.id) !== undefined)
      throw new StateError(
        'certificate_custom',
        'The domain has a certificate that you uploaded. DELETE …/proxy/certificate removes it and orders an automatic one.',
      );
    const row: ProxyConfig = { ...before, ...ordered(), sslStatus: isServed(before) ? 'renewing' : 'pending' };
    const state = await findState(services, rules, draft, domain, row);
    draft.put(proxies, row);
    return { action: 'certificate.order', createResponse: () => proxyReply(domain, row, state) };
  });
}

const isServed = ({ sslStatus }: ProxyConfig): boolean => sslStatus === 'active' || sslStatus === 'renewing';

function ordered() {
  const now = nowSeconds();
  return { sslError: null, orderRequestedAt: now, updatedAt: now };
}

/** Throws HttpError 404 and InvalidError: see checkCertificate. */
export async function setCertificate(
  services: Services,
  rules: OriginRules,
  context: Context<Caller>,
  body: BodyOf<typeof certificateBody>,
) {
  const ownDomain = editableDomain(services.reader, context.caller, parseId(context.params.domain_id));
  const now = nowSeconds();
  const checked = checkCertificate(body.certificate, body.private_key, formatHost(ownDomain.apex), now);
  const rsa = readRsa(body, checked, formatHost(ownDomain.apex), now);
  return changeProxy(services, context, async (draft, domain) => {
    const rowOf = ({ chain, privateKey, names, notBefore, notAfter }: CheckedCertificate) => ({
      domainId: domain.id,
      chain,
      names: names.list(),
      notBefore,
      notAfter,
      createdAt: now,
      sealedKey: services.secrets.seal(Buffer.from(privateKey), certificateContext(domain.id)).toString('base64'),
    });
    const row: ProxyConfig = {
      ...(draft.proxy(domain.id) ?? noProxy(domain.id)),
      sslStatus: 'active',
      sslIssuedAt: checked.notBefore,
      sslExpiresAt: checked.notAfter,
      sslError: null,
      orderRequestedAt: null,
      updatedAt: now,
    };
    draft.put(proxies, row);
    draft.put(certificates, rowOf(checked));
    deleteRsa(draft, domain.id);
    if (rsa !== null)
      draft.put(rsaCertificates, { ...rowOf(rsa), slot: UPLOADED_SLOT, renewAt: rsa.notAfter, directory: null });
    const state = await findState(services, rules, draft, domain, row);
    return {
      action: 'certificate.set',
      detail: {
        names: checked.names.shown(),
        sha256: checked.fingerprint,
        issued_at: formatTime(checked.notBefore),
        expires_at: formatTime(checked.notAfter),
        ...(rsa !== null && { rsa_sha256: rsa.fingerprint }),
      },
      createResponse: () =>
        proxyReply(domain, row, {
          ...state,
          warnings: [
            ...new Set([...checked.warnings, ...(rsa?.warnings ?? []), ...state.coverage.warnings, ...state.warnings]),
          ],
        }),
    };
  });
}

/** Null: none was sent. Throws HttpError 422 for half of it, and as checkRsaCertificate does. */
function readRsa(
  { rsa_certificate, rsa_private_key }: BodyOf<typeof certificateBody>,
  first: CheckedCertificate,
  domain: string,
  now: number,
): CheckedCertificate | null {
  if (rsa_certificate === undefined && rsa_private_key === undefined) return null;
  if (rsa_certificate !== undefined && rsa_private_key !== undefined)
    return checkRsaCertificate(rsa_certificate, rsa_private_key, first, domain, now);
  const [missing, sent] =
    rsa_certificate === undefined ? ['rsa_certificate', 'rsa_private_key'] : ['rsa_private_key', 'rsa_certificate'];
  throw new HttpError(422, 'validation', `"${missing}" is required with "${sent}".`, { pointer: `/${missing}` });
}

function deleteRsa(draft: Draft, domainId: Id): void {
  for (const row of draft.rsaCertificates(domainId)) if (row.slot === UPLOADED_SLOT) draft.delete(rsaCertificates, row);
}

/** With the proxy on, the automatic certificate is ordered at once. Throws HttpError 404. */
export function deleteCertificate(services: Services, rules: OriginRules, context: Context<Caller>) {
  return changeProxy(services, context, async (draft, domain) => {
    const certificate = draft.certificate(domain.id);
    if (certificate === undefined)
      throw new HttpError(
        404,
        'no_such_certificate',
        'The domain has no uploaded certificate; its certificate is already automatic.',
      );
    const before = draft.proxy(domain.id) ?? noProxy(domain.id);
    const row: ProxyConfig = {
      ...before,
      ...(before.enabled ? { ...ordered(), sslStatus: 'pending' } : { sslStatus: 'none', updatedAt: nowSeconds() }),
      sslIssuedAt: null,
      sslExpiresAt: null,
    };
    draft.delete(certificates, certificate);
    deleteRsa(draft, domain.id);
    draft.put(proxies, row);
    const state = await findState(services, rules, draft, domain, row);
    return { action: 'certificate.delete', createResponse: () => proxyReply(domain, row, state) };
  });
}
