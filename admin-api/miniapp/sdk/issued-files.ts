/** Reads the files of issued SDKs, which the build copies next to this module. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKGROUND_TYPINGS, ISSUED_SDKS, issuedPath, SDK_SCRIPT, SDK_TYPINGS, type SdkFileName } from './issued.ts';

/** Folder next to the compiled module, and next to its bundle. */
export const ISSUED_FOLDER = 'issued-sdks';

export interface IssuedFiles {
  readonly script: Buffer;
  readonly typings: Buffer;
  readonly backgroundTypings: Buffer;
}

/** Throws an Error if the version is unknown or its file is damaged. */
export function readIssued(version: string = ISSUED_SDKS[0].version): IssuedFiles {
  const sdk = ISSUED_SDKS.find((issued) => issued.version === version);
  if (sdk === undefined) throw new Error(`There is no SDK ${version}.`);
  const read = (name: SdkFileName): Buffer =>
    readFileSync(join(import.meta.dirname, ISSUED_FOLDER, issuedPath(version, name)));
  const script = read(SDK_SCRIPT);
  if (createHash('sha256').update(script).digest('hex') !== sdk.sha256)
    throw new Error(`${SDK_SCRIPT} of SDK ${version} is damaged; install Waypost again.`);
  return { script, typings: read(SDK_TYPINGS), backgroundTypings: read(BACKGROUND_TYPINGS) };
}
