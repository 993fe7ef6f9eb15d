export { formatMaster } from './format.ts';
export { type MasterError, type MasterOptions, type MasterRecord, parseMaster } from './parser.ts';
