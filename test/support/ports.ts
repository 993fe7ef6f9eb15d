/** Loopback ports that nobody listens on now. Somebody may before we do, so callers start anew when a bind fails. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port on 127.0.0.1 that is free for TCP and for UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const tcp = createServer();
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const udp = createSocket('udp4');
    const free = await new Promise<boolean>((done) => {
      udp.once('error', () => done(false));
      udp.bind(port, '127.0.0.1', () => done(true));
    });
    udp.close();
    tcp.close();
    await once(tcp, 'close');
    if (free) return port;
  }
}
