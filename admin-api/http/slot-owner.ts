/** The slot owner of an authenticated request (core/base/fair-slots.ts). */

import type { SlotOwner } from '../../core/base/fair-slots.ts';
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import type { Caller } from './caller.ts';
import type { Context } from './route.ts';

export const callerOwner = ({
  caller,
  remoteAddress,
}: Pick<Context<Caller>, 'caller' | 'remoteAddress'>): SlotOwner => ({
  account: `account ${caller.account.id}`,
  network: clientNetwork(remoteAddress),
});
