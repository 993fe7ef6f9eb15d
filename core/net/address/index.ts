/**
 * Which addresses and host names an origin may have. Pure: nothing is resolved or connected to
 * here.
 */
export {
  classifyAddress,
  type Exemptions,
  isExempt,
  mayConnect,
  NO_EXEMPTIONS,
  parseExemptions,
  type Verdict,
} from './classify.ts';
export { type ConnectRule, type PermittedAddresses, PUBLIC_ONLY, permittedAddresses } from './permitted.ts';
export { contains, formatAddress, type Prefix, parseAddress, parsePrefix, unmapped } from './prefix.ts';
export { privateOrigin } from './refuse.ts';
export { isLocalhost } from './special-names.ts';
export { type Host, readHost } from './spelling.ts';
