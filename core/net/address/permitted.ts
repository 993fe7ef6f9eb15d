/** Selects the addresses of a name that may be connected to, at connect time. */
import { type Exemptions, isExempt, mayConnect, NO_EXEMPTIONS } from './classify.ts';
import { formatAddress } from './prefix.ts';

export interface ConnectRule {
  /** Addresses that are permitted although they are not public, or are this node's own. */
  readonly exemptions: Exemptions;
  /** This node's own addresses, of 4 or 16 bytes. */
  readonly own: readonly Uint8Array[];
}

export interface PermittedAddresses {
  /** In input order. */
  readonly permitted: Uint8Array[];
  /** `10.0.0.1 is in 10.0.0.0/8, "Private-Use" (RFC 1918)`, for each refused address. */
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
