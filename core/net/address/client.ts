/**
 * The client of a DNS query and its transport. Each thread or connection reuses one object, so the
 * socket loop allocates nothing.
 */

export const TRANSPORT = { UDP: 0, TCP: 1, TLS: 2, HTTPS: 3 } as const;
export type TransportName = Lowercase<keyof typeof TRANSPORT>;
/** Names in logs and metrics, by the values of TRANSPORT. */
export const TRANSPORT_NAMES = Object.keys(TRANSPORT).map((name) => name.toLowerCase()) as readonly TransportName[];
/** Whether the transport is encrypted, so that padding hides the length of messages. */
export const isEncrypted = (transport: number): boolean => transport === TRANSPORT.TLS || transport === TRANSPORT.HTTPS;
/** Whether RFC 7828 governs how long idle connections stay open. HTTP does over HTTPS. */
export const isStream = (transport: number): boolean => transport === TRANSPORT.TCP || transport === TRANSPORT.TLS;

const IPV4 = 4;
const IPV6 = 16;

export class Client {
  /** The first `length` bytes are the address in network order. */
  readonly address = new Uint8Array(IPV6);
  /** 4 or 16. */
  length = IPV4;
  port = 0;
  /** A value of TRANSPORT. */
  transport: number = TRANSPORT.UDP;

  /**
   * Copies the address of `length` (4 or 16) bytes at bytes[at]. An IPv4-mapped address
   * (::ffff:0:0/96, RFC 4291 2.5.5.2) is stored as IPv4. A client then has the same address over
   * sockets of both families. Hot.
   */
  setAddress(bytes: Uint8Array, at: number, length: number): void {
    const { address } = this;
    let from = at;
    this.length = length;
    if (length === IPV6 && isMapped(bytes, at)) {
      from += IPV6 - IPV4;
      this.length = IPV4;
    }
    for (let i = 0; i < this.length; i++) address[i] = bytes[from + i];
  }
}

function isMapped(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < 10; i++) if (bytes[at + i] !== 0) return false;
  return bytes[at + 10] === 0xff && bytes[at + 11] === 0xff;
}
