/** Source addresses that may be of other nodes: finds those of this one. */
import { createSocket } from 'node:dgram';

/**
 * Resolves to the first of the addresses in the family of `to` that this node can send from;
 * undefined: none. Binds a socket, since networks of the interface lo do not list their addresses.
 */
export async function localSource(addresses: readonly string[], to: string): Promise<string | undefined> {
  for (const address of addresses) if (isSameFamily(address, to) && (await isLocal(address))) return address;
  return undefined;
}

export const isSameFamily = (a: string, b: string): boolean => a.includes(':') === b.includes(':');

function isLocal(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const end = (result: boolean): void => {
      socket.close();
      resolve(result);
    };
    socket.once('error', () => end(false));
    socket.bind({ address, exclusive: true }, () => end(true));
  });
}
