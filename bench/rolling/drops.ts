/** Packets that the kernel has dropped because the buffer of a socket was full: proc_net_udp(5). */
import { readFileSync } from 'node:fs';

/** Of all UDP sockets that are bound to one of the ports. */
export function dropsAt(ports: ReadonlySet<number>): number {
  let sum = 0;
  for (const line of readFileSync('/proc/net/udp', 'latin1').split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16);
    if (ports.has(port)) sum += Number(fields.at(-1));
  }
  return sum;
}
