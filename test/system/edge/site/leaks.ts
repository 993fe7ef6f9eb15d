/** Whether something that a visitor got tells where an origin is. */

export interface Hidden {
  /** Addresses and host names of origins. */
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

/**
 * What is found in a text of what is to be hidden, with what stands around it. A port counts as a
 * number of its own only: its digits may be part of another one.
 */
export function leaksIn(text: string, { hosts, ports }: Hidden): string[] {
  const found: string[] = [];
  const look = (pattern: RegExp): void => {
    for (const { index } of text.matchAll(pattern)) found.push(text.slice(Math.max(0, index - 60), index + 60));
  };
  for (const host of hosts) look(new RegExp(host.replace(/\./g, '\\.'), 'gi'));
  for (const port of ports) look(new RegExp(`(?<![\\w.])${port}(?![\\w])`, 'g'));
  return found;
}
