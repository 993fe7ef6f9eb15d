/**
 * Audits packages in a process that stays, as a service does, and answers with what each took:
 * `node dist/bench/audit/warm.js [MODULE]`, with the channel of `fork`, by which the paths come.
 * MODULE: of addons-linter, which is measured instead of Waypost's audit.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { auditPackage } from '../../admin-api/miniapp/audit/audit.ts';
import type { Measured } from './command.ts';
import { SDK } from './sources.ts';

interface Summary {
  readonly errors: number;
  readonly warnings: number;
}

const [linter] = process.argv.slice(2);
const sdks = [{ version: '1', sha256: createHash('sha256').update(SDK).digest('hex') }];

async function audit(path: string): Promise<Summary> {
  if (linter === undefined) return (await auditPackage(path, { sdks })).summary;
  const config = { _: [path], logLevel: 'fatal', output: 'none', boring: true };
  const { createInstance } = createRequire(import.meta.url)(linter);
  return (await createInstance({ config, runAsBinary: false }).run()).summary;
}

process.on('message', async (path: string) => {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const { errors, warnings } = await audit(path);
  const { user, system } = process.cpuUsage(before);
  // Time for telling what was found would be no time of the audit.
  if (errors + warnings > 0) throw new Error(`${path} has findings`);
  process.send!({ seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 } satisfies Measured);
});
