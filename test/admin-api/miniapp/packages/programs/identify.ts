/** The program of a thread that identifies the packages of these tests: see ../package.ts. */
import { readFileSync } from 'node:fs';
import type { AuditTask, Identified } from '../../../../../admin-api/miniapp/packages/audit-task.ts';

export default function identify({ path }: AuditTask): Identified {
  const text = readFileSync(path, 'latin1');
  if (text.startsWith('throw')) throw new Error('on purpose');
  const [, id, code] = /^package (\S+) (\d+)/.exec(text) ?? [];
  if (id !== undefined) {
    const [, name = 'Test'] = /name:(\S+)/.exec(text) ?? [];
    const listing = {
      ...{ name, description: 'A test.', category: 'tools', minHostVersion: '1.0.0' },
      ...{ permissions: ['storage'], backgroundPermissions: [] },
    };
    const [, icon] = /icon:(\S+)/.exec(text) ?? [];
    const facts = { id, name, version: '1.0', versionCode: Number(code), listing };
    return {
      kind: 'identified',
      facts: { ...facts, icon: icon === undefined ? null : { type: 'image/png', bytes: Buffer.from(icon) } },
    };
  }
  const fault = {
    code: 'archive_unreadable',
    message: 'It is no package.',
    file: 'manifest.json',
    line: 3,
    fix: 'Make one.',
  };
  return { kind: 'unreadable', faults: [fault] };
}
