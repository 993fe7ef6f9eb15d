/** `waypost pkg lint`: runs the audit of the server locally, without a daemon. */
import { createHash } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Command, Option } from 'commander';
import { packageFolderOf } from '../../miniapp/audit/archive/package-folder.ts';
import type { Audit } from '../../miniapp/audit/audit.ts';
import { reportText, visible } from '../../miniapp/audit/report/text.ts';
import { auditThreadLimits, DEFAULT_AUDIT_MEMORY, DEFAULT_AUDIT_TIMEOUT } from '../../miniapp/packages/audit-limits.ts';
import { type Sdk, trustedSdks } from '../../miniapp/sdk/trust.ts';
import type { CommandContext } from '../base/command.ts';
import { type CliIo, type Output, print, safeJson } from '../base/io.ts';
import type { Linted, LintTask } from './lint-worker.ts';

/** The page that explains the rules. */
const RULES = '/api/dev/rules';

/** Takes one file, because with several, the next argument would be read as another file. */
export const SDK_OPTION = new Option(
  '--sdk <file>',
  'another host-sdk.js to accept, besides the issued SDKs; can be repeated',
).argParser((file: string, before: readonly string[] = []) => [...before, file]);

export function addPkgLint(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('lint')
    .description('audit a package, or the folder of a package, as the server does')
    .argument('<path>', 'a .pkg file, or the folder of an app')
    .addOption(SDK_OPTION)
    .option('--sarif', 'write SARIF 2.1.0, for editors and code hosts')
    .addHelpText(
      'after',
      '\nThe exit code is 1 if there are errors, and 2 if there is nothing to audit. A daemon explains every code at /api/dev/rules;\n--sarif links to that page if --url or WAYPOST_URL is set.\n\nExamples:\n  $ waypost pkg lint notes/\n  $ waypost pkg lint notes.pkg --sarif > notes.sarif\n',
    )
    .action(
      action<{ sdk?: readonly string[]; sarif?: boolean }>(async ({ sdk, sarif, json, url }, [path]) => {
        await requireReadable(parent, path, 'Pass a .pkg file, or the folder with manifest.json.');
        for (const file of sdk ?? []) await requireReadable(parent, file, 'Pass a host-sdk.js.');
        const audit = await lint(await packageFolderOf(path), sdk);
        if (sarif) await printSarif(io, audit, url ?? io.env.WAYPOST_URL);
        else if (json) printJson(io, audit);
        else printText(io, io.stdout, audit);
        return audit.summary.errors === 0;
      }),
    );
}

/** Reports an unreadable file as misuse (exit code 2), because 1 means errors in the package. */
export async function requireReadable(command: Command, path: string, next: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? `${visible(path)} does not exist.` : `${visible(path)} cannot be read (${code}).`;
    command.error(`error: ${what} ${next}`);
  }
}

/** Audits like the server: in a thread, with the same limits. `signal` ends the thread. */
export async function lint(
  path: string,
  sdkFiles: readonly string[] = [],
  timeout = DEFAULT_AUDIT_TIMEOUT,
  memory = DEFAULT_AUDIT_MEMORY,
  signal?: AbortSignal,
): Promise<Audit> {
  const sdks = await sdksWith(sdkFiles);
  signal?.throwIfAborted();
  const outcome = await auditInThread({ path, sdks }, timeout, memory, signal);
  if (typeof outcome !== 'string') return outcome;
  // Imported only here, because the main thread rarely needs it.
  const { unfinishedAudit } = await import('../../miniapp/audit/unfinished.ts');
  return unfinishedAudit(outcome, timeout);
}

/** Rejects with the system error if the path cannot be read. */
function auditInThread(
  task: LintTask,
  timeout: number,
  memory: number,
  signal?: AbortSignal,
): Promise<Audit | 'timed_out' | 'crashed'> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./lint-worker.js', import.meta.url), {
      workerData: task,
      resourceLimits: auditThreadLimits(memory),
    });
    const timer = setTimeout(() => {
      resolve('timed_out');
      void worker.terminate();
    }, timeout);
    const abort = (): void => {
      reject(signal?.reason);
      void worker.terminate();
    };
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('message', (linted: Linted) => {
      if ('error' in linted) reject(Object.assign(linted.error, { code: linted.code }));
      else resolve(linted.audit);
    });
    // Usually out of memory.
    worker.once('error', () => resolve('crashed'));
    worker.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve('crashed');
    });
  });
}

/** The issued SDKs, and those of the files. */
export async function sdksWith(files: readonly string[] = []): Promise<readonly Sdk[]> {
  return trustedSdks({ sdks: await Promise.all(files.map(sdkOf)), withdrawnSdks: [] });
}

const sdkOf = async (file: string): Promise<Sdk> => ({
  version: basename(file),
  sha256: createHash('sha256')
    .update(await readFile(file))
    .digest('hex'),
});

/** Links to the page of rules if the URL of a daemon is set. */
async function printSarif({ stdout, build }: CliIo, audit: Audit, daemon = ''): Promise<void> {
  const { reportSarif } = await import('../../miniapp/audit/report/sarif.ts');
  const rules = URL.canParse(RULES, daemon) ? new URL(RULES, daemon).href : undefined;
  print(stdout, safeJson(reportSarif(audit, build.version, rules), 2));
}

/** Prints one line per finding, then the summary. */
function printJson({ stdout }: CliIo, { findings, summary, verdict, manifest }: Audit): void {
  for (const finding of findings) print(stdout, safeJson(finding));
  print(stdout, safeJson({ ok: summary.errors === 0, verdict, summary, manifest }));
}

/** Uses colours on a terminal, unless NO_COLOR is set. */
export function printText({ env }: CliIo, output: Output, audit: Audit): void {
  output.write(reportText(audit, { color: output.isTTY === true && !env.NO_COLOR }));
}
