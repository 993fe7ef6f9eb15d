/** Who a client without an account is, in the turns for slots (core/base/fair-slots.ts). */
import type { SlotOwner } from '../../base/fair-slots.ts';
import { clientNetwork, clientSite } from './ipv6.ts';

/**
 * The site stands in for the account: a client with a /48 of IPv6 has 65,536 networks, and still
 * has the share of one client.
 */
export const strangerAt = (address: string): SlotOwner => ({
  account: `site ${clientSite(address)}`,
  network: clientNetwork(address),
});
