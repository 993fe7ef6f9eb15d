/** `waypost pkg lint`: the audit of the server, here. No daemon is asked. */
import { createHash } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { Audit } from '../../core/packages/audit.ts';
import { visible } from '../../core/packages/report/visible.ts';
import type { Sdk } from '../../core/packages/sdk/sdk.ts';
import { loadAudit } from './audit-program.ts';
import { type CliIo, type Output, print, safeJson } from './io.ts';
import type { CommandContext } from './run.ts';

/** The page of rules. */
const RULES = '/api/dev/rules';

/** One file each time, so that what follows is not taken for another. */
export const SDK_OPTION = new Option(
  '--sdk <file>',
  'host-sdk.js of an SDK that was issued, to compare with; may be given several times',
).argParser((file: string, before: readonly string[] = []) => [...before, file]);

export function addPkgLint(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('lint')
    .description('audit a package, or the folder that one is made of, as the server does')
    .argument('<path>', 'a .pkg file, or a folder')
    .addOption(SDK_OPTION)
    .option('--sarif', 'write SARIF 2.1.0, for editors and code hosts')
    .addHelpText(
      'after',
      '\nEnds with 1 when there are errors, with 2 when there is nothing to audit. Every code is explained at /api/dev/rules of a daemon, which --sarif links to if --url or WAYPOST_URL names one.\n\nExamples:\n  $ waypost pkg lint notes/ --sdk sdk/host-sdk.js\n  $ waypost pkg lint notes.pkg --sarif > notes.sarif\n',
    )
    .action(
      action<{ sdk?: readonly string[]; sarif?: boolean }>(async ({ sdk, sarif, json, url }, [path]) => {
        await mustRead(parent, path, 'Name a .pkg file, or the folder with manifest.json.');
        for (const file of sdk ?? []) await mustRead(parent, file, 'Name host-sdk.js of an SDK that was issued.');
        const audit = await lint(path, sdk);
        if (sarif) await printSarif(io, audit, url ?? io.env.WAYPOST_URL);
        else if (json) printJson(io, audit);
        else await printText(io, io.stdout, audit);
        return audit.summary.errors === 0;
      }),
    );
}

/** What can't be read is misuse, as 1 is for errors of a package. */
async function mustRead(command: Command, path: string, instead: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? `There is no ${visible(path)}.` : `${visible(path)} can't be read (${code}).`;
    command.error(`error: ${what} ${instead}`);
  }
}

/** The engine is loaded when it is asked for: other commands need not load it. */
export async function lint(path: string, sdkFiles: readonly string[] = []): Promise<Audit> {
  const [sdks, { auditPackage }] = await Promise.all([Promise.all(sdkFiles.map(sdkOf)), loadAudit()]);
  return auditPackage(path, { sdks });
}

const sdkOf = async (file: string): Promise<Sdk> => ({
  version: basename(file),
  sha256: createHash('sha256')
    .update(await readFile(file))
    .digest('hex'),
});

/** With links to the page of rules of the daemon, if one is named. */
async function printSarif({ stdout, version }: CliIo, audit: Audit, daemon = ''): Promise<void> {
  const { reportSarif } = await import('../../core/packages/report/sarif.ts');
  const rules = URL.canParse(RULES, daemon) ? new URL(RULES, daemon).href : undefined;
  print(stdout, safeJson(reportSarif(audit, version, rules), 2));
}

/** A finding a line, then what comes of them. */
function printJson({ stdout }: CliIo, { findings, summary, verdict, manifest }: Audit): void {
  for (const finding of findings) print(stdout, safeJson(finding));
  print(stdout, safeJson({ ok: summary.errors === 0, verdict, summary, manifest }));
}

/** In colours on a terminal, unless NO_COLOR says no. */
export async function printText({ env }: CliIo, output: Output, audit: Audit): Promise<void> {
  const { reportText } = await import('../../core/packages/report/text.ts');
  output.write(reportText(audit, { color: output.isTTY === true && !env.NO_COLOR }));
}
