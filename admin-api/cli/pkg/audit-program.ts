/**
 * Loads the audit for a command, which audits once and exits. `config/build/bundle.ts` packs the
 * audit into one script, and stores V8's compiled code next to it: to compile the script takes as
 * long as to audit a small package.
 */
import { readFileSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

type AuditModule = typeof import('../../miniapp/audit/audit.ts');

/** Files in the folder of the program. */
const SCRIPT = 'package-audit.js';
/** V8 accepts code of its own version only. */
const CODE = `package-audit.${process.versions.v8}.code`;
/** Wraps the script in a function with the parameters of a CommonJS module. */
export const HEAD = '(function (module, exports, require) {';
export const TAIL = '})';

interface AuditProgram {
  readonly audit: AuditModule;
  /**
   * V8 rejected the code, because its version or options differ, and compiled the script instead.
   */
  readonly isRejected: boolean;
  /** V8's compiled code of all functions that have run so far. */
  code(): Buffer;
}

/** Without `code`, V8 compiles the script. Throws the system error if the script cannot be read. */
export function openAuditProgram(path: string, code?: Buffer): AuditProgram {
  // Before the script is created: V8 accepts code only if it was compiled with the same options.
  optimizeLate();
  // esbuild writes only ASCII, and latin1 is decoded fastest.
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData: code });
  const module = { exports: {} };
  script.runInThisContext()(module, module.exports, requireFrom(path));
  return {
    audit: module.exports as AuditModule,
    isRejected: script.cachedDataRejected === true,
    code: () => script.createCachedData(),
  };
}

/** Paths of the script and its code in the folder of the program. */
export const programPaths = (folder: URL): { readonly script: string; readonly code: string } => ({
  script: fileURLToPath(new URL(SCRIPT, folder)),
  code: fileURLToPath(new URL(CODE, folder)),
});

/** Imports the module if there is no compiled code, as with another version of Node. */
export async function loadAudit(): Promise<AuditModule> {
  const { script, code } = programPaths(new URL('.', import.meta.url));
  const read = readIfExists(code);
  return read === undefined ? import('../../miniapp/audit/audit.ts') : openAuditProgram(script, read).audit;
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * A process that audits one package exits before optimized code pays off: V8 would spend a third of
 * the CPU time on optimization. With these options, V8 collects feedback from the first call,
 * optimizes late (the budget is in bytes of executed bytecode; the default is 67584), and does not
 * inline. The options are those of Node 20; a later V8 would print errors about them.
 */
function optimizeLate(): void {
  if (!process.versions.v8.startsWith('11.3.')) return;
  setFlagsFromString('--interrupt-budget-factor-for-feedback-allocation=1');
  setFlagsFromString('--interrupt-budget=250000');
  for (const step of ['inlining', 'escape', 'loop-peeling']) setFlagsFromString(`--no-turbo-${step}`);
}
