/** Failures of orders as messages for the customer. */
import { parseAddress } from '../../../core/net/address/index.ts';
import { DirectoryProblem, DirectoryUnreachable, OrderFailure, type Problem } from './problem.ts';

export const NOT_SET_UP =
  'The operator of this service has not finished the setup of automatic certificates. Contact the operator, or upload your own certificate.';

/** Converts any error of an order into an OrderFailure. */
export function failureOf(error: unknown): OrderFailure {
  if (error instanceof OrderFailure) return error;
  if (error instanceof DirectoryUnreachable)
    return new OrderFailure('unreachable', 'The certificate authority is currently unreachable.', {
      fault: 'directory',
      detail: error.message,
      cause: error,
    });
  if (error instanceof DirectoryProblem) return ofProblem(error);
  return new OrderFailure('internal', 'An internal error occurred while the certificate was ordered.', {
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
      `The certificate authority has reached a rate limit${quoted(problem)}. The order is retried when the limit allows it.`,
      { ...options, fault: 'limit' },
    );
  if (ACCOUNT.has(problem.type))
    return new OrderFailure(problem.type === 'accountDoesNotExist' ? 'account_gone' : 'account', NOT_SET_UP, {
      ...options,
      fault: 'operator',
    });
  if (status >= 500 || problem.type === 'serverInternal' || problem.type === 'badNonce')
    return new OrderFailure('unavailable', 'The certificate authority reports an internal error.', {
      ...options,
      fault: 'directory',
    });
  return ofRefusal('', problem, options);
}

/**
 * Problems of the account if they are the response to a request and not to a challenge: the account
 * was deactivated (RFC 8555 7.3.6), is gone, or lacks something.
 */
const ACCOUNT: ReadonlySet<string> = new Set([
  'externalAccountRequired',
  'userActionRequired',
  'accountDoesNotExist',
  'unauthorized',
]);

/** The order neither failed nor completed in time. */
export const slow = (): OrderFailure =>
  new OrderFailure('slow', 'The certificate authority did not finish in time. The order is retried.');

/** A node does not serve the challenge, and the authority may query any node. */
export const notServed = (): OrderFailure =>
  new OrderFailure(
    'not_served',
    'One of our servers does not respond; the certificate is ordered as soon as it does.',
    {
      fault: 'operator',
      detail: 'a node that counts as online did not confirm that it serves the challenge: see "waypost cluster status"',
    },
  );

/**
 * Other nameservers of the zone do not serve the challenge, and the authority may query any of
 * them. `titles`: with their addresses, for the log.
 */
export const notTransferred = (hosts: readonly string[], record: string, titles: string): OrderFailure =>
  new OrderFailure(
    'not_transferred',
    `${hosts.join(', ')} did not serve the challenge (TXT of ${record}) in time, so the certificate authority might not find it. Check that it gets NOTIFY from this service and may transfer the zone, or remove it from the nameservers of the domain.`,
    { detail: `still without the record: ${titles}` },
  );

/** A challenge whose validation failed (RFC 8555 8). `host`: the validated name. */
export function refusedChallenge(host: string, value: Problem): OrderFailure {
  return ofRefusal(host, value, { detail: `${value.type}: ${value.detail}` });
}

/**
 * Several challenges whose validations failed. `problems`: of each validated name, at least one.
 * `ordered`: all names of the order.
 */
export function refusedChallenges(problems: ReadonlyMap<string, Problem>, ordered: readonly string[]): OrderFailure {
  const [[host, problem]] = problems;
  const detail = `${problem.type}: ${problem.detail}`;
  if (problems.size >= ordered.length) return ofRefusal(host, problem, { detail });
  const names = [...problems].map(([name, each]) => [name, ofRefusal(name, each, { detail }).message] as const);
  return ofRefusal(host, problem, { detail, names: new Map(names) });
}

/**
 * The failure of an order whose problem lists the names at fault, as a refusal of these. Other
 * errors are returned unchanged.
 */
export function ofFaultyNames(error: unknown, ordered: readonly string[]): unknown {
  if (!(error instanceof DirectoryProblem)) return error;
  const { detail } = error.problem;
  const faulty = ordered.filter((name) =>
    error.names.length > 0
      ? error.names.some((value) => name === value || name === `*.${value}`)
      : // Boulder lists no subproblems if only one name is at fault, but quotes it.
        detail.includes(`"${name}"`),
  );
  const failure = failureOf(error);
  if (failure.fault !== 'domain' || faulty.length === 0 || faulty.length === ordered.length) return error;
  return new OrderFailure(failure.code, failure.message, {
    detail: error.message,
    retryAfter: error.retryAfter,
    names: new Map(faulty.map((name) => [name, ofRefusal(name, error.problem, { detail: '' }).message])),
    cause: error,
  });
}

function ofRefusal(
  host: string,
  problem: Problem,
  options: { detail: string; retryAfter?: number | null; names?: ReadonlyMap<string, string> },
): OrderFailure {
  const name = host === '' ? '' : ` for ${host}`;
  const refusal = REFUSALS[problem.type];
  if (refusal === undefined)
    return new OrderFailure(
      'refused',
      `The certificate authority refused the order${name}${quoted(problem)}. If this persists, upload your own certificate.`,
      options,
    );
  return new OrderFailure(
    refusal.code,
    `${refusal.what(host === '' ? 'the domain' : host, problem)}${quoted(problem)}. ${refusal.next}`,
    options,
  );
}

interface Refusal {
  readonly code: string;
  readonly what: (host: string, problem: Problem) => string;
  readonly next: string;
}

/** RFC 8555 6.7. */
const REFUSALS: Readonly<Record<string, Refusal | undefined>> = {
  caa: {
    code: 'caa',
    what: (host) => `The CAA records of ${host} forbid the certificate`,
    next: 'Add a CAA record for this certificate authority, or remove the existing CAA records.',
  },
  dns: {
    code: 'dns',
    what: (host) => `The certificate authority could not look up ${host} in the DNS`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, and that DNSSEC is off or its DS record is correct.',
  },
  dnssec: {
    code: 'dns',
    what: (host) => `DNSSEC validation of ${host} fails`,
    next: 'Remove the DS record at your registrar, or correct it.',
  },
  unauthorized: {
    code: 'unauthorized',
    what: (host) => `The certificate authority did not find the challenge response at ${host}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, and that none of a previous service remain.',
  },
  incorrectResponse: {
    code: 'unauthorized',
    what: (host) => `The certificate authority did not find the challenge response at ${host}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service, and that none of a previous service remain.',
  },
  connection: {
    code: 'connection',
    what: (host, { detail }) => `The certificate authority could not connect to ${host} ${placeIn(detail)}`,
    next: 'Check at your registrar that all nameservers of the domain are those of this service. If they are, the operator must open this port for this address.',
  },
  rejectedIdentifier: {
    code: 'rejected',
    what: (host) => `The certificate authority issues no certificates for ${host}`,
    next: 'Upload your own certificate.',
  },
  unsupportedIdentifier: {
    code: 'rejected',
    what: (host) => `The certificate authority issues no certificates for ${host}`,
    next: 'Upload your own certificate.',
  },
};

/** Addresses in messages of authorities: `192.0.2.1: Fetching …`, `dial tcp [2001:db8::1]:80`. */
const IPV4 = /(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}))?(?![\d.])/;
const IPV6 = /\[([\da-f:.]+)\](?::(\d{1,5}))?|(?<![\w:])([\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?=: |$)/i;
const URL_PORT = /\b(https?):\/\/[^\s/?#"']*?(?::(\d{1,5}))?(?=[\s/?#"']|$)/i;

/**
 * Port, address family and address of a failed connection. An authority connects to port 80 (RFC
 * 8555 section 8.3), unless a redirect led it to another one.
 */
function placeIn(detail: string): string {
  const [, scheme, urlPort] = URL_PORT.exec(detail) ?? [];
  // A host in a URL is no address that the authority has looked up.
  const text = detail.replace(/https?:\/\/\S+/gi, '');
  const four = IPV4.exec(text);
  const six = four === null ? IPV6.exec(text) : null;
  const address = four?.[1] ?? six?.[1] ?? six?.[3];
  const port = four?.[2] ?? six?.[2] ?? urlPort ?? (scheme?.toLowerCase() === 'https' ? '443' : '80');
  if (address === undefined || parseAddress(address) === undefined) return `on port ${port}`;
  return `on port ${port} over ${address.includes(':') ? 'IPv6' : 'IPv4'} (${address})`;
}

const quoted = ({ detail }: Problem): string =>
  detail === '' ? '' : ` (its message: ${detail.replace(/[.\s]+$/, '')})`;
