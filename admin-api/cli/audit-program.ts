/**
 * The audit for a command, which audits once and ends. The end of the build (`bundle.ts`) puts all of it into one script, and V8's code for it beside
 * that: to compile it anew would take as long as to audit a small package.
 */
import { readFileSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

export type AuditModule = typeof import('../../core/miniapp/audit.ts');

/** In the folder of the program. */
const SCRIPT = 'package-audit.js';
const CODE = 'package-audit.code';
/** What the script stands between, so that it gets what a module of CommonJS does. */
export const HEAD = '(function (module, exports, require) {';
export const TAIL = '})';

export interface AuditProgram {
  readonly audit: AuditModule;
  /** V8 did not take the code: it is of another version, or for other options of V8. All is compiled anew then. */
  readonly isRejected: boolean;
  /** V8's code for all functions that have run so far. */
  code(): Buffer;
}

/** `code` undefined: there is none. Throws what the system says of the script. */
export function openAuditProgram(path: string, code?: Buffer): AuditProgram {
  // V8 takes code only for the options that it was made with.
  optimizeLate();
  // esbuild writes ASCII.
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData: code });
  const module = { exports: {} };
  script.runInThisContext()(module, module.exports, requireFrom(path));
  return {
    audit: module.exports as AuditModule,
    isRejected: script.cachedDataRejected === true,
    code: () => script.createCachedData(),
  };
}

/** Where the files of the program in a folder lie. */
export const programIn = (folder: URL): { readonly script: string; readonly code: string } => ({
  script: fileURLToPath(new URL(SCRIPT, folder)),
  code: fileURLToPath(new URL(CODE, folder)),
});

/** Modules as they were compiled, which tests import, are in no folder of a program. */
export async function loadAudit(): Promise<AuditModule> {
  const { script, code } = programIn(new URL('.', import.meta.url));
  const read = readIfThere(code);
  return read === undefined ? import('../../core/miniapp/audit.ts') : openAuditProgram(script, read).audit;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * A process that audits one package ends before optimized code has paid for itself: V8 would take a third of the CPU time to make it. So functions
 * are watched from their first run on, optimized late (bytes of bytecode that one runs before; V8's own value is 67584), and each by itself. The
 * options are of the V8 of Node 20; a later one has others, and says so on standard error.
 */
function optimizeLate(): void {
  if (!process.versions.v8.startsWith('11.3.')) return;
  setFlagsFromString('--interrupt-budget-factor-for-feedback-allocation=1');
  setFlagsFromString('--interrupt-budget=250000');
  for (const step of ['inlining', 'escape', 'loop-peeling']) setFlagsFromString(`--no-turbo-${step}`);
}
