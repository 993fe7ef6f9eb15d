/**
 * Of each rule about archives the first hostile one that is about it, and what comes near to it.
 */
import { ARCHIVE_RULES } from '../../../../../admin-api/miniapp/audit/archive/rules.ts';
import type { RuleCode } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { HOSTILE } from '../archive/hostile.ts';
import type { CorpusCase } from './corpus-case.ts';
import { smallApp } from './small-app.ts';

const MB = 1 << 20;

export const ARCHIVE_CASES: readonly CorpusCase[] = [
  { code: 'archive_too_large', triggers: Buffer.alloc(50 * MB + 1), nearMiss: smallApp() },
  ...(Object.keys(ARCHIVE_RULES) as RuleCode[]).flatMap((code): CorpusCase[] => {
    const hostile = HOSTILE.find(({ codes, nearMiss }) => codes[0] === code && nearMiss !== undefined);
    return hostile?.nearMiss ? [{ code, triggers: hostile.archive, nearMiss: hostile.nearMiss }] : [];
  }),
];
