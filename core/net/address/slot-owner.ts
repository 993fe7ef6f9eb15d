/** The slot owner of a client without an account (core/base/fair-slots.ts). */
import type { SlotOwner } from '../../base/fair-slots.ts';
import { clientNetwork, clientSite } from './ipv6.ts';

/**
 * The site replaces the account. A client with an IPv6 /48 has 65,536 networks, but gets a single
 * share.
 */
export const strangerAt = (address: string): SlotOwner => ({
  account: `site ${clientSite(address)}`,
  network: clientNetwork(address),
});
