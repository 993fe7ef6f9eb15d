/** Reads the conformance pages: mini-apps that test a host. See docs/mini-apps/bridge.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SDK_SCRIPT } from './issued.ts';
import { ISSUED_FOLDER, readIssued } from './issued-files.ts';

/** The build copies the pages next to the SDKs. */
const FOLDER = join(import.meta.dirname, ISSUED_FOLDER, 'conformance');

/**
 * `app`: a normal package that uses `Host`. `protocol`: sends raw messages, so the audit rejects
 * it; it runs from its folder.
 */
export type ConformancePage = 'app' | 'protocol';

/** Content by file name. All files are in the root of the package. */
export type PageFiles = Readonly<Record<string, Buffer>>;

export function readConformance(page: ConformancePage): PageFiles {
  const own = { ...filesIn('shared'), ...filesIn(page) };
  return page === 'app' ? { ...own, [SDK_SCRIPT]: readIssued().script } : own;
}

function filesIn(part: string): PageFiles {
  const folder = join(FOLDER, part);
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}
