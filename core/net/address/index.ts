/**
 * Which addresses and host names an origin may have. Pure: nothing is resolved or connected to
 * here.
 */

export { addressAdvice } from '../../dns/wire/rdata/index.ts';
export {
  type ConnectRule,
  classifyAddress,
  type Exemptions,
  isExempt,
  mayConnect,
  NO_EXEMPTIONS,
  type PermittedAddresses,
  PUBLIC_ONLY,
  parseExemptions,
  permittedAddresses,
  type Verdict,
} from './classify.ts';
export { contains, formatAddress, isInNetworks, type Prefix, parseAddress, parsePrefix, unmapped } from './prefix.ts';
export { privateOrigin } from './refuse.ts';
export { isDocumentation, isLocalhost, isLoopback } from './special.ts';
export { type Host, readHost } from './spelling.ts';
