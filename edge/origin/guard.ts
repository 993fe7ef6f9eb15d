/**
 * Which addresses may be connected to for a customer: asked of every address, at every new
 * connection, since names change between check and use (DNS rebinding).
 */
import { type ConnectRule, permittedAddresses } from '../../core/net/address/index.ts';
import { OriginError } from './origin.ts';

/** The operator's exemptions, and our own addresses, where the edge would ask itself. */
export type Guard = ConnectRule;

/** Those that may be. Throws OriginError `forbidden` when there is none. */
export function permitted(addresses: readonly Uint8Array[], guard: Guard): Uint8Array[] {
  if (addresses.length === 0) throw new OriginError('forbidden', 'its records have no public address');
  const found = permittedAddresses(addresses, guard);
  if (found.permitted.length === 0)
    throw new OriginError('forbidden', `no address that may be connected to: ${found.refusals.join('; ')}`);
  return found.permitted;
}
