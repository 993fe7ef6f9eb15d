/** Why a connection could not be opened, by the error code of the system or of undici. */

export type ConnectFault =
  | 'refused' // the host has no listener on the port
  | 'unreachable' // no route, or a firewall that says so
  | 'timed out'
  | 'closed' // before a response
  | 'unresolved'; // the host name has no address

/** The fault with the most to say is first: of several addresses, one may only lack a route. */
const CODES: readonly (readonly [ConnectFault, ...codes: string[]])[] = [
  ['refused', 'ECONNREFUSED'],
  ['closed', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  ['timed out', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  ['unreachable', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'],
  ['unresolved', 'ENOTFOUND', 'EAI_AGAIN'],
];

/** For operators, without a final period. */
const TEXTS: Readonly<Record<ConnectFault, string>> = {
  refused: 'connection refused',
  closed: 'connection closed',
  'timed out': 'connection timed out',
  unreachable: 'no route to the address',
  unresolved: 'the host name has no address',
};

/**
 * The fault of a connection, to a host with one or more addresses; undefined: something else
 * failed.
 */
export function connectFault(error: unknown): ConnectFault | undefined {
  const codes = codesOf(error);
  return CODES.find(([, ...known]) => known.some((code) => codes.includes(code)))?.[0];
}

/** `connection refused (ECONNREFUSED)`; undefined: it is not the fault of a connection. */
export function describeConnectFault(error: unknown): string | undefined {
  const fault = connectFault(error);
  return fault && `${TEXTS[fault]} (${[...new Set(codesOf(error))].join(', ')})`;
}

/** Of the error, or of each attempt. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf);
  return typeof code === 'string' ? [code] : codesOf(cause);
}
