export { formatIPv4, formatIPv6, readIPv4, readIPv6 } from './address.ts';
export type { Field } from './fields.ts';
export type { RdataObject } from './kind.ts';
export {
  canonicalRdata,
  checkRdata,
  formatPortableRdata,
  formatRdata,
  parseRdata,
  parseRdataFields,
  rdataToObject,
} from './rdata.ts';
export { hasBothRewrites } from './service.ts';
export { RDATA_TABLE } from './table.ts';
