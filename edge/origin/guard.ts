/** Which addresses may be connected to for a customer: asked of every address, at every new connection, since names change between check and use (DNS rebinding). */
import { type Exemptions, formatAddress, isExempt, mayConnect } from '../../core/address/index.ts';
import { OriginError } from './origin.ts';

export interface Guard {
  /** The operator's: addresses that may be used though they are not public, or are our own. */
  readonly exemptions: Exemptions;
  /** Our own, of 4 or 16 bytes: the edge would ask itself. */
  readonly own: readonly Uint8Array[];
}

/** Those that may be. Throws OriginError `forbidden` when there is none. */
export function permitted(addresses: readonly Uint8Array[], guard: Guard): Uint8Array[] {
  if (addresses.length === 0) throw new OriginError('forbidden', 'its records have no public address');
  const refusals: string[] = [];
  const left = addresses.filter((address) => {
    const refusal = refusalOf(address, guard);
    if (refusal !== null) refusals.push(`${formatAddress(address)} ${refusal}`);
    return refusal === null;
  });
  if (left.length === 0)
    throw new OriginError('forbidden', `no address that may be connected to: ${refusals.join('; ')}`);
  return left;
}

function refusalOf(address: Uint8Array, { exemptions, own }: Guard): string | null {
  if (isExempt(address, exemptions)) return null;
  if (own.some((one) => Buffer.compare(one, address) === 0)) return 'is an address of this edge';
  const verdict = mayConnect(address);
  return verdict.public ? null : verdict.reason;
}
