/**
 * Cleanup after the last file of a test process, such as a server or a browser that files share.
 */

const endings: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
  endings.push(close);
}

/** Runs cleanups in reverse order of registration. */
export async function end(): Promise<void> {
  while (endings.length > 0) await endings.pop()?.();
}
