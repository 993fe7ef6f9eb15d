/** The program of a thread that identifies the packages of these tests: see ../package.ts. */
import { readFileSync } from 'node:fs';
import type { AuditTask, Identified } from '../../../../admin-api/packages/audit-task.ts';

export default function identify({ path }: AuditTask): Identified {
  const text = readFileSync(path, 'latin1');
  if (text.startsWith('throw')) throw new Error('on purpose');
  const [, id, code] = /^package (\S+) (\d+)/.exec(text) ?? [];
  if (id !== undefined)
    return { kind: 'identified', facts: { id, name: 'Test', version: '1.0', versionCode: Number(code) } };
  const fault = {
    code: 'archive_unreadable',
    message: 'It is no package.',
    file: 'manifest.json',
    line: 3,
    fix: 'Make one.',
  };
  return { kind: 'unreadable', faults: [fault] };
}
