/** Which addresses of a name may be connected to. Asked when a connection is made. */
import { type Exemptions, isExempt, mayConnect, NO_EXEMPTIONS } from './classify.ts';
import { formatAddress } from './prefix.ts';

export interface ConnectRule {
  /** Addresses that may be connected to though they are not public, or are our own. */
  readonly exemptions: Exemptions;
  /** Our own, of 4 or 16 bytes. */
  readonly own: readonly Uint8Array[];
}

export interface PermittedAddresses {
  /** In the order that they came in. */
  readonly permitted: Uint8Array[];
  /** `10.0.0.1 is in 10.0.0.0/8, "Private-Use" (RFC 1918)`, for each of the others. */
  readonly refusals: string[];
}

export const PUBLIC_ONLY: ConnectRule = { exemptions: NO_EXEMPTIONS, own: [] };

export function permittedAddresses(addresses: readonly Uint8Array[], rule: ConnectRule): PermittedAddresses {
  const permitted: Uint8Array[] = [];
  const refusals: string[] = [];
  for (const address of addresses) {
    const refusal = refusalOf(address, rule);
    if (refusal === undefined) permitted.push(address);
    else refusals.push(`${formatAddress(address)} ${refusal}`);
  }
  return { permitted, refusals };
}

function refusalOf(address: Uint8Array, { exemptions, own }: ConnectRule): string | undefined {
  if (isExempt(address, exemptions)) return undefined;
  if (own.some((other) => Buffer.compare(other, address) === 0)) return 'is an address of this edge';
  const verdict = mayConnect(address);
  return verdict.public ? undefined : verdict.reason;
}
