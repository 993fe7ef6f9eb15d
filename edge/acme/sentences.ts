/** What a directory says of an order that it refuses, as the customer reads it. */
import { OrderFailure } from './failure.ts';
import { DirectoryProblem, DirectoryUnreachable, type Problem } from './problem.ts';

export const NOT_SET_UP =
  'The operator of this service has not finished setting up automatic certificates. Ask them, or bring a certificate of your own by PUT to …/proxy/certificate.';

/** An OrderFailure of whatever ended an order. */
export function failureOf(error: unknown): OrderFailure {
  if (error instanceof OrderFailure) return error;
  if (error instanceof DirectoryUnreachable)
    return new OrderFailure('unreachable', 'The certificate authority can not be reached just now.', {
      fault: 'directory',
      detail: error.message,
      cause: error,
    });
  if (error instanceof DirectoryProblem) return ofProblem(error);
  return new OrderFailure('internal', 'Something went wrong on our side while the certificate was ordered.', {
    detail: error instanceof Error ? error.message : String(error),
    cause: error,
  });
}

function ofProblem(error: DirectoryProblem): OrderFailure {
  const { problem, status, retryAfter } = error;
  const options = { detail: error.message, retryAfter, cause: error };
  if (problem.type === 'rateLimited' || status === 429)
    return new OrderFailure(
      'rate_limited',
      `The certificate authority takes no more orders for now${said(problem)}. It is asked again when it does.`,
      { ...options, fault: 'limit' },
    );
  if (ACCOUNT.has(problem.type))
    return new OrderFailure(problem.type === 'accountDoesNotExist' ? 'account_gone' : 'account', NOT_SET_UP, {
      ...options,
      fault: 'operator',
    });
  if (status >= 500 || problem.type === 'serverInternal' || problem.type === 'badNonce')
    return new OrderFailure('unavailable', 'The certificate authority has a fault just now.', {
      ...options,
      fault: 'directory',
    });
  return ofRefusal('', problem, options);
}

/** Of a request rather than of a challenge they speak of the account: that was deactivated (RFC 8555 7.3.6), is gone, or lacks something. */
const ACCOUNT: ReadonlySet<string> = new Set([
  'externalAccountRequired',
  'userActionRequired',
  'accountDoesNotExist',
  'unauthorized',
]);

/** It has not refused, but nothing comes of it. */
export const slow = (): OrderFailure =>
  new OrderFailure('slow', 'The certificate authority did not finish in time. It is asked again.');

/** The authority may ask any of our nodes. */
export const notServed = (): OrderFailure =>
  new OrderFailure(
    'not_served',
    'One of our servers can not be heard just now; the certificate is ordered when it is.',
    {
      fault: 'operator',
      detail: 'a node that counts as there did not say that it serves the challenge: see "waypost cluster status"',
    },
  );

/** Of a challenge that was looked at and found wanting (RFC 8555 8). `host`: the name it was for. */
export function refusedChallenge(host: string, value: Problem): OrderFailure {
  return ofRefusal(host, value, { detail: `${value.type}: ${value.detail}` });
}

function ofRefusal(
  host: string,
  problem: Problem,
  options: { detail: string; retryAfter?: number | null },
): OrderFailure {
  const name = host === '' ? '' : ` for ${host}`;
  const known = REFUSALS[problem.type];
  if (known === undefined)
    return new OrderFailure(
      'refused',
      `The certificate authority refused the order${name}${said(problem)}. If it stays so, bring a certificate of your own by PUT to …/proxy/certificate.`,
      options,
    );
  return new OrderFailure(
    known.code,
    `${known.what(host === '' ? 'the domain' : host)}${said(problem)}. ${known.next}`,
    options,
  );
}

interface Refusal {
  readonly code: string;
  readonly what: (host: string) => string;
  readonly next: string;
}

/** RFC 8555 6.7. */
const REFUSALS: Readonly<Record<string, Refusal | undefined>> = {
  caa: {
    code: 'caa',
    what: (host) => `The CAA records of ${host} forbid the certificate`,
    next: 'Add one that names this certificate authority, or remove those that are there.',
  },
  dns: {
    code: 'dns',
    what: (host) => `The certificate authority could not look up ${host} in the DNS`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, and that DNSSEC is off or its DS record right.',
  },
  dnssec: {
    code: 'dns',
    what: (host) => `The DNSSEC of ${host} is broken`,
    next: 'Remove the DS record at your registrar, or correct it.',
  },
  unauthorized: {
    code: 'unauthorized',
    what: (host) => `The certificate authority did not find our answer at ${host}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, none of a former one among them.',
  },
  incorrectResponse: {
    code: 'unauthorized',
    what: (host) => `The certificate authority did not find our answer at ${host}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, none of a former one among them.',
  },
  connection: {
    code: 'connection',
    what: (host) => `The certificate authority could not connect to ${host}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service.',
  },
  rejectedIdentifier: {
    code: 'rejected',
    what: (host) => `The certificate authority issues no certificates for ${host}`,
    next: 'Bring a certificate of your own by PUT to …/proxy/certificate.',
  },
  unsupportedIdentifier: {
    code: 'rejected',
    what: (host) => `The certificate authority issues no certificates for ${host}`,
    next: 'Bring a certificate of your own by PUT to …/proxy/certificate.',
  },
};

const said = ({ detail }: Problem): string => (detail === '' ? '' : ` (it says: ${detail.replace(/[.\s]+$/, '')})`);
