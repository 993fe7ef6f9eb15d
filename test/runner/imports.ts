/** The imports of compiled files, direct and transitive. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Imports {
  readonly files: ReadonlySet<string>;
  /** Packages and modules of Node. */
  readonly modules: ReadonlySet<string>;
}

const IMPORT = /(?:\b(?:import|export)\s*([\w$*{}\s,]*?)\s*from\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]/g;
/** Names of node:net that open no socket. */
const PURE_NET = /^\{[\s,]*(?:(?:isIP|isIPv4|isIPv6|BlockList)[\s,]*)*\}$/;

const parsed = new Map<string, { readonly local: string[]; readonly modules: string[] }>();

function importsOf(file: string): { readonly local: string[]; readonly modules: string[] } {
  let found = parsed.get(file);
  if (found !== undefined) return found;
  found = { local: [], modules: [] };
  parsed.set(file, found);
  for (const [, names = '', specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (!specifier.startsWith('.')) {
      if (specifier !== 'node:net' || !PURE_NET.test(names)) found.modules.push(specifier);
      continue;
    }
    const path = join(dirname(file), specifier);
    if (path.endsWith('.js') && existsSync(path)) found.local.push(path);
  }
  return found;
}

/** The transitive imports of `file`. */
export function allImports(file: string): Imports {
  const files = new Set([file]);
  const modules = new Set<string>();
  for (const next of files) {
    const { local, modules: direct } = importsOf(next);
    for (const path of local) files.add(path);
    for (const name of direct) modules.add(name);
  }
  return { files, modules };
}
