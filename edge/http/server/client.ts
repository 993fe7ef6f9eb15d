/** The client of a connection. */
import type { Socket } from 'node:net';
import { Client as CountedClient } from '../../../core/net/address/client.ts';
import { addressText, setClientAddress } from '../../../core/net/address/ipv6.ts';
import type { Client } from '../exchange/exchange.ts';
import type { TlsPolicy } from '../tls/policy.ts';

/** The client for connection limits; null: it has disconnected already. */
export function countedClient(socket: Socket): CountedClient | null {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined) return null;
  const client = new CountedClient();
  setClientAddress(client, remoteAddress, remotePort ?? 0);
  return client;
}

export function describeClient(
  client: CountedClient,
  serverName: string,
  isEncrypted: boolean,
  certificate = '',
  policy: TlsPolicy | null = null,
): Client {
  const tlsPolicy = policy === null ? '' : policy.fingerprint;
  return { address: addressText(client), port: client.port, serverName, isEncrypted, certificate, tlsPolicy };
}
