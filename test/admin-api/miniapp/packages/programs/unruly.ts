/** The program of a thread that does what its package says, such as a crash of the audit. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import type { Audited, AuditTask } from '../../../../../admin-api/miniapp/packages/audit-task.ts';

const NOTHING = { errors: 0, warnings: 0, notices: 0, review: 0, omitted: 0 };

export default async function audit({ path }: AuditTask): Promise<Audited> {
  const [order] = /(?<=do:)\w+/.exec(readFileSync(path, 'latin1').slice(0, 1000)) ?? ['approve'];
  switch (order) {
    case 'throw':
      throw new Error('on purpose');
    case 'exit':
      return process.exit(1);
    case 'reject_later':
      void Promise.reject(new Error('on purpose'));
      await sleep(60_000);
      break;
    case 'hang':
      for (;;);
    case 'wait':
      await sleep(60_000);
      break;
    case 'slow':
      await sleep(500);
      break;
    case 'memory': {
      const held: string[][] = [];
      for (;;) held.push(Array.from({ length: 100_000 }, (_, i) => `${i} ${held.length}`));
    }
  }
  const verdict = order === 'reject' ? 'rejected' : order === 'review' ? 'in_review' : 'approved';
  const summary = { ...NOTHING, errors: Number(order === 'reject'), review: Number(order === 'review') };
  return { verdict, summary, findings: deflateSync('[]') };
}
