export { ADVICE, addressAdvice, formatIPv4, formatIPv6, readIPv4, readIPv6 } from './address.ts';
export type { Field } from './fields.ts';
export type { RdataObject } from './kind.ts';
export {
  canonicalRdata,
  checkRdata,
  findDoubt,
  findFault,
  formatPortable,
  formatRdata,
  mayBeMalformed,
  parseRdata,
  parseRdataFields,
  rdataToObject,
  signedRdata,
} from './rdata.ts';
export { typeBitmap } from './type-list.ts';
