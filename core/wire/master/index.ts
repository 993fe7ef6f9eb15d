export { formatMaster } from './format.ts';
export {
  type Dropped,
  type MasterError,
  type MasterOptions,
  type MasterRecord,
  type MasterWarning,
  parseMaster,
} from './parser.ts';
