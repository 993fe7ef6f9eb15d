/** Sets the addresses of one host, as one commit, and gives the answer of the protocol. */

import { InvalidError } from '../../../core/base/errors.ts';
import { formatName, labelCount, type Name, parentName, parseName, toAscii } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import { ownedDomain, requireEditable } from '../../change/owned-domain.ts';
import { requireAction } from '../../change/record-policies.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { statusOf } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { patchRRsets } from '../powerdns/rrset-patch.ts';
import { type Addresses, wantedIPv6 } from './addresses.ts';

/** Seconds: a new address is seen within this time. Existing records keep theirs. */
const NEW_TTL = 60;

type UpdateContext = Pick<Context<Caller>, 'caller' | 'requestId' | 'remoteAddress' | 'headers'>;

/** Null: not a fully qualified name. */
export function readHost(text: string): Name | null {
  try {
    const name = parseName(toAscii(text.trim(), ''));
    return labelCount(name) < 2 ? null : name;
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}

/**
 * `good` or `nochg` with the addresses of the host, `nohost` if the caller cannot set them, or
 * `911` if this fails for now. `isFirst`: see wantedIPv6. Throws unexpected errors.
 */
export async function updateHost(
  services: Services,
  context: UpdateContext,
  host: Name,
  addresses: Addresses,
  isFirst: boolean,
): Promise<string> {
  try {
    return await commitHost(services, context, host, addresses, isFirst);
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw error;
    return status >= 500 ? '911' : 'nohost';
  }
}

async function commitHost(
  services: Services,
  context: UpdateContext,
  host: Name,
  addresses: Addresses,
  isFirst: boolean,
): Promise<string> {
  const { reader, locks } = services;
  const { caller } = context;
  const id = domainAbove(reader, host)?.id ?? 0;
  // For the errors, before a draft is made.
  requireEditable(ownedDomain(reader, caller, id));
  let answer = 'nohost';
  const commit = () =>
    change(services, { ...context, idempotency: null }, async (draft) => {
      const domain = requireEditable(ownedDomain(draft, caller, id));
      const sets = [TYPE.A, TYPE.AAAA].map((type) => {
        const present = draft.recordsOfType(id, host, type).map(({ rdata }) => rdata);
        const { ipv4 } = addresses;
        const wanted = type === TYPE.A ? (ipv4.length > 0 ? ipv4 : null) : wantedIPv6(addresses, isFirst, present);
        if (wanted !== null) requireAction(caller, domain, { name: host, type }, 'update', 'create');
        return { type, ttl: present.length > 0 ? null : NEW_TTL, wanted };
      });
      const changes = sets.flatMap(({ type, ttl, wanted }) =>
        wanted === null
          ? []
          : [{ name: host, type, changeType: 'REPLACE' as const, ttl, records: wanted, comments: null }],
      );
      const { detail, unchanged } = await patchRRsets(services, draft, domain, changes, caller);
      const texts = changes.flatMap(({ type, records }) => records.map((rdata) => formatRdata(type, rdata)));
      if (texts.length > 0) answer = `${unchanged ? 'nochg' : 'good'} ${texts.join(',')}`;
      return {
        action: 'dns.update',
        domain,
        target: id,
        unchanged,
        detail: { ...detail, name: formatName(host), addresses: texts },
        createResponse: () => ({}),
      };
    });
  await locks.shared(String(id), () => locks.exclusive(`${id} ${formatName(host)}`, commit));
  return answer;
}

/** The closest domain at or above a name. */
function domainAbove(reader: Reader, host: Name): Domain | undefined {
  for (let at = host; at.length > 1; at = parentName(at)) {
    const domain = reader.domainByApex(at);
    if (domain !== undefined) return domain;
  }
  return undefined;
}
