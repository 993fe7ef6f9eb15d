/** Formats a package and its findings as text for people. */
import type { Static } from '@sinclair/typebox';
import { countsText, findingLines } from '../audit/report/text.ts';
import { visible } from '../audit/report/visible.ts';
import { RULES } from './paths.ts';
import type { uploadResponse } from './schema.ts';

type UploadView = Static<typeof uploadResponse>['upload'];

export function uploadText(upload: UploadView): string {
  const { app_id, version, version_code, status, id, size, sha256, notes, audit, history } = upload;
  const findings = findingLines(audit.findings);
  const lines = [
    `${app_id} ${version} (${version_code}): ${status.replace('_', ' ')}`,
    `upload ${id}, ${size} bytes, SHA-256 ${sha256}`,
    ...(notes === null ? [] : notes.split(/\r\n|\r|\n/).map((line) => `> ${visible(line)}`)),
    audit.summary === null ? 'no verdict yet' : countsText(audit.summary),
    '',
    ...findings,
    ...(findings.length > 0 ? ['', `Each code is explained at ${RULES} of this service.`, ''] : []),
    ...history.map(
      ({ at, status: state, by, reason, codes }) =>
        `${at}  ${state.replace('_', ' ')}${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${visible(reason)}`}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
