export type { Dropped, MasterError, MasterOptions, MasterRecord, MasterResult, MasterWarning } from './entry.ts';
export { formatMaster } from './format.ts';
export { countGenerated, mayGenerate } from './generate.ts';
export { type Inlined, inlineIncludes, type MasterFile, type MasterLine, mayInclude } from './include.ts';
export { EntryLexer } from './lexer.ts';
export { parseMaster } from './parser.ts';
