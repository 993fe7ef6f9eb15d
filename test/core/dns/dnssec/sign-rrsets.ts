import { SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { prepareRrsig, type RrsigRequest, rrsigRdata } from '../../../../core/dns/dnssec/rrsig.ts';

/** The RRSIG rdata of RRsets, in their order. Throws as `canonicalRdatas`. */
export function signRRsets(requests: readonly RrsigRequest[]): Uint8Array[] {
  const prepared = requests.map(prepareRrsig);
  return SigningKey.signAll(prepared).map((signature, i) => rrsigRdata(prepared[i], signature));
}

/** The RRSIG rdata of one RRset. */
export const signRRset = (request: RrsigRequest): Uint8Array => signRRsets([request])[0];
