/** A package and what was found in it, as people read it. */
import type { Static } from '@sinclair/typebox';
import { escapeControls } from '../../core/log/index.ts';
import type { uploadAnswer } from './schema.ts';

type UploadView = Static<typeof uploadAnswer>['upload'];
type FindingView = UploadView['audit']['findings'][number];

export function uploadText(upload: UploadView): string {
  const { app_id, version, version_code, status, id, size, sha256, audit, history } = upload;
  const lines = [
    `${app_id} ${version} (${version_code}): ${status.replace('_', ' ')}`,
    `upload ${id}, ${size} bytes, SHA-256 ${sha256}`,
    summaryLine(audit.summary),
    ...audit.findings.flatMap(findingLines),
    '',
    ...history.map(
      ({ at, status: state, by, reason, codes }) =>
        `${at}  ${state.replace('_', ' ')}${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${escapeControls(reason)}`}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function summaryLine(summary: UploadView['audit']['summary']): string {
  if (summary === null) return 'no verdict yet';
  const { errors, warnings, notices, review, omitted } = summary;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(notices, 'notice')];
  if (review > 0) counts.push(`${review} for a person to look at`);
  if (omitted > 0) counts.push(`${omitted} not listed`);
  return counts.join(', ');
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function findingLines({ type, code, message, file, line, column, excerpt, fix }: FindingView): string[] {
  const place = [file ?? 'the package', line, column].filter((part) => part !== null).join(':');
  return [
    '',
    `${place}: ${type}: ${escapeControls(message)} [${code}]`,
    ...(excerpt === null ? [] : [`    ${escapeControls(excerpt)}`]),
    `    ${escapeControls(fix)}`,
  ];
}
