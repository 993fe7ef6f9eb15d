/**
 * Node's functions that write a whole file, with errors that name it. Node opens the file and
 * writes by its descriptor, so the error of a full disk has no path there.
 */
import * as fs from 'node:fs';
import * as files from 'node:fs/promises';

export const writeFileSync: typeof fs.writeFileSync = (file, ...rest) =>
  naming(String(file), () => fs.writeFileSync(file, ...rest));

export const appendFileSync: typeof fs.appendFileSync = (file, ...rest) =>
  naming(String(file), () => fs.appendFileSync(file, ...rest));

export const writeFile: typeof files.writeFile = async (file, ...rest) => {
  try {
    await files.writeFile(file, ...rest);
  } catch (error) {
    throw withPath(error, String(file));
  }
};

/** Replaces a file: readers find the old or the new one. A draft that fails is removed. */
export function replaceFileSync(file: string, data: string, options: { mode: number; flush?: boolean }): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, data, options);
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

function naming<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Adds the path of an open file to a system error without a path. */
export function withDescriptorPath(error: unknown, descriptor: number): unknown {
  try {
    return withPath(error, fs.readlinkSync(`/proc/self/fd/${descriptor}`));
  } catch {
    return error;
  }
}

/** Adds a path to a system error without a path, in the format of Node.js. */
function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || 'path' in error) return error;
  error.message = `${error.message} '${path}'`;
  return Object.assign(error, { path });
}
