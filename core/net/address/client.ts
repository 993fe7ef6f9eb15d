/**
 * Who asked, and over what. One object for each thread or connection, filled by the socket loop;
 * nothing is allocated.
 */

export const TRANSPORT = { UDP: 0, TCP: 1, TLS: 2, HTTPS: 3 } as const;
/** Whether the transport hides what it carries, so that padding hides its length. */
export const isEncrypted = (transport: number): boolean => transport === TRANSPORT.TLS || transport === TRANSPORT.HTTPS;
/**
 * Whether connections stay open between DNS messages as RFC 7828 has it; over HTTPS that is HTTP's
 * affair.
 */
export const isStream = (transport: number): boolean => transport === TRANSPORT.TCP || transport === TRANSPORT.TLS;

const IPV4 = 4;
const IPV6 = 16;

export class Client {
  /** The first `length` bytes are the address in network order. */
  readonly address = new Uint8Array(IPV6);
  /** 4 or 16. */
  length = IPV4;
  port = 0;
  /** Of TRANSPORT. */
  transport: number = TRANSPORT.UDP;

  /**
   * Takes the address of `length` (4 or 16) bytes at bytes[at]. An IPv4 address in an IPv6 one
   * (::ffff:0:0/96, RFC 4291 2.5.5.2) counts as what it is, so that a client is the same over a
   * socket of either family. Hot.
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
