/** What a test process ends after its last file: a server or a browser that its files share. */

const endings: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
  endings.push(close);
}

/** Ends the latest first. */
export async function end(): Promise<void> {
  while (endings.length > 0) await endings.pop()?.();
}
