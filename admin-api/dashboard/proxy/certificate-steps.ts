/** Describes the state of a domain's certificate as steps. */
import type { ProxyView } from '../api/views.ts';
import type { Step } from '../parts/step.ts';
import { TEXTS } from '../texts.ts';

/** `now`: milliseconds since 1970. */
export function certificateSteps(proxy: ProxyView, now: number): Step[] {
  return proxy.certificate.source === 'uploaded' ? uploadedSteps(proxy, now) : automaticSteps(proxy, now);
}

const texts = TEXTS.proxy.certificate;

function uploadedSteps({ certificate }: ProxyView, now: number): Step[] {
  const { issuer, issued_at: issuedAt, expires_at: expiresAt } = certificate;
  const detail = issuer === null ? undefined : texts.issuedBy(issuer);
  return [
    { state: 'done', text: texts.uploaded, ...(detail === undefined ? {} : { detail }), ...timeOf(issuedAt) },
    isPast(expiresAt, now)
      ? { state: 'failed', text: texts.expired, ...timeOf(expiresAt) }
      : { state: 'next', text: texts.expiresUploaded, ...timeOf(expiresAt) },
  ];
}

function automaticSteps(proxy: ProxyView, now: number): Step[] {
  const { certificate, ssl_error: error } = proxy;
  const { issuer, issued_at: issuedAt, expires_at: expiresAt, renews_at: renewsAt } = certificate;
  const steps: Step[] = [];
  if (issuedAt !== null)
    steps.push({ state: 'done', text: issuer === null ? texts.issued : texts.issuedBy(issuer), at: issuedAt });
  else if (proxy.is_enabled === 0) steps.push({ state: 'next', text: texts.none, detail: texts.off });
  // Without a failure, this text lists the names that the certificate omits.
  if (error !== null && issuedAt !== null && certificate.failures === 0)
    steps.push({ state: 'failed', text: texts.notice, detail: error });
  steps.push(...orderSteps(proxy));
  if (issuedAt === null) return steps;
  if (certificate.failures === 0 && !certificate.is_ordering && renewsAt !== null)
    steps.push({ state: 'next', text: texts.renews, at: renewsAt });
  const isExpired = isPast(expiresAt, now);
  steps.push({
    state: isExpired ? 'failed' : 'next',
    text: isExpired ? texts.expired : texts.expires,
    ...timeOf(expiresAt),
  });
  return steps;
}

/** The steps of a current or failed order. */
function orderSteps({ is_enabled: isEnabled, certificate, ssl_error: error, ssl_status: status }: ProxyView): Step[] {
  const { is_ordering: isOrdering, requested_at: requestedAt, attempted_at: attemptedAt } = certificate;
  if (isEnabled === 0) return [];
  const steps: Step[] = [];
  if (requestedAt !== null) steps.push({ state: 'done', text: texts.requested, at: requestedAt });
  const hasFailed = certificate.failures > 0 || status === 'error';
  if (hasFailed)
    steps.push({
      state: 'failed',
      text: certificate.failures === 0 ? texts.refused : texts.failed(certificate.failures),
      ...(error === null ? {} : { detail: error }),
      ...timeOf(isOrdering ? null : attemptedAt),
    });
  if (isOrdering) {
    const details = certificate.challenges.map((challenge) => `${texts.checking[challenge]}.`);
    steps.push({
      state: 'now',
      text: texts.ordering,
      ...(details.length === 0 ? {} : { detail: details.join(' ') }),
      ...timeOf(attemptedAt),
    });
  } else if (certificate.next_attempt_at !== null)
    steps.push({ state: 'next', text: texts.nextAttempt, at: certificate.next_attempt_at });
  else if (requestedAt !== null && !hasFailed) steps.push({ state: 'now', text: texts.waiting });
  return steps;
}

const timeOf = (at: string | null): { readonly at?: string } => (at === null ? {} : { at });

const isPast = (at: string | null, now: number): boolean =>
  at !== null && Date.parse(`${at.replace(' ', 'T')}Z`) <= now;
