/** The conformance pages: mini-apps by which a host tests itself. docs/mini-apps/bridge.md */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SDK_SCRIPT } from './issued.ts';
import { ISSUED_FOLDER, readIssued } from './issued-files.ts';

/** The build copies it with the SDKs. */
const FOLDER = join(import.meta.dirname, ISSUED_FOLDER, 'conformance');

/**
 * `app`: a package like any other, which uses `Host`. `protocol`: sends raw messages, so that the
 * audit rejects it; it is run from its folder.
 */
export type ConformancePage = 'app' | 'protocol';

/** By name; all are in the root. */
export type PageFiles = Readonly<Record<string, Buffer>>;

export function readConformance(page: ConformancePage): PageFiles {
  const own = { ...filesIn('shared'), ...filesIn(page) };
  return page === 'app' ? { ...own, [SDK_SCRIPT]: readIssued().script } : own;
}

function filesIn(part: string): PageFiles {
  const folder = join(FOLDER, part);
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}
