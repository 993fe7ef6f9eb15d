export { formatMaster } from './format.ts';
export { mayGenerate } from './generate.ts';
export { type Inlined, inlineIncludes, type MasterFile, type MasterLine, mayInclude } from './include.ts';
export {
  type Dropped,
  type MasterError,
  type MasterOptions,
  type MasterRecord,
  type MasterWarning,
  parseMaster,
} from './parser.ts';
