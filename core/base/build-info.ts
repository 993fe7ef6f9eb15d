/** Reads dist/build-info.json, which config/build/build-info.ts writes. */
import { readFileSync } from 'node:fs';

export interface BuildInfo {
  /** Semantic version, such as "0.2.0". */
  readonly version: string;
  /** The first twelve digits of the commit; with "+" if files were modified. Null: unknown. */
  readonly commit: string | null;
  /** Date of the commit in UTC, as YYYY-MM-DD. Not of the build, which must be reproducible. */
  readonly date: string | null;
}

export const BUILD_INFO_FILE = 'build-info.json';

/** `program`: the URL of main.js. Throws errors of the file system. */
export function readBuildInfo(program: string): BuildInfo {
  return JSON.parse(readFileSync(new URL(BUILD_INFO_FILE, program), 'utf8')) as BuildInfo;
}

/** "waypost 0.2.0 (commit 0123456789ab, 2026-11-27)". */
export function describeBuild({ version, commit, date }: BuildInfo): string {
  const parts = [...(commit === null ? [] : [`commit ${commit}`]), ...(date === null ? [] : [date])];
  return parts.length === 0 ? `waypost ${version}` : `waypost ${version} (${parts.join(', ')})`;
}
