/**
 * Reads the limits from the section `edge`. The limits of a version of HTTP have the version as a
 * prefix.
 */
import type { Config } from '../../../core/config/index.ts';
import type { EdgeLimits } from './limits.ts';

/** The keys of `S` that begin with `P`, without it: `http2MaxHeaderCount` is `maxHeaderCount`. */
type Stripped<S, P extends string> = {
  readonly [K in keyof S & string as K extends `${P}${infer Rest}` ? Uncapitalize<Rest> : never]: S[K];
};

function strip<P extends string>(settings: Config['edge'], prefix: P): Stripped<Config['edge'], P> {
  const entries = Object.entries(settings)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => [key.charAt(prefix.length).toLowerCase() + key.slice(prefix.length + 1), value]);
  return Object.fromEntries(entries) as Stripped<Config['edge'], P>;
}

export function limitsFromConfig(edge: Config['edge']): EdgeLimits {
  const { streamIdleTimeout, tunnelIdleTimeout } = edge;
  const { headerOctets: headerBytes, discardedOctets: discardedBytes, ...http1 } = strip(edge, 'http1');
  return {
    server: {
      maxConnections: edge.maxConnections,
      maxPerAddress: edge.maxConnectionsPerAddress,
      clientMemory: Math.floor(edge.clientMemory / edge.workers),
      maxCertificates: edge.maxCertificates,
      handshakeTimeout: edge.handshakeTimeout,
      drainTimeout: edge.drainTimeout,
    },
    http1: { ...http1, headerBytes, discardedBytes, streamIdleTimeout, tunnelIdleTimeout },
    http2: { ...strip(edge, 'http2'), streamIdleTimeout, tunnelIdleTimeout },
  };
}
