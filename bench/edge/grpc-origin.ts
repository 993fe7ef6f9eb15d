/**
 * A gRPC server of node:http2 in cleartext: `node grpc-origin.js PORT`. It answers every call with
 * one message, below `/grpc/stream` with a hundred. And what starts it, on the core of the load.
 */
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../dns/process.ts';
import { LOAD_CORE } from '../dns/servers.ts';
import type { Tools } from './contender.ts';

export const GRPC = { unary: '/grpc/unary', stream: '/grpc/stream' } as const;
const MESSAGES = 100;

/** A message of so many bytes, with its prefix: not compressed, and its length. */
export function grpcMessage(length: number): Buffer {
  const message = Buffer.alloc(5 + length, 'x');
  message[0] = 0;
  message.writeUInt32BE(length, 1);
  return message;
}

export const grpcPort = ({ originPort }: Pick<Tools, 'originPort'>): number => originPort + 1;

export async function startGrpcOrigin(tools: Tools): Promise<() => Promise<void>> {
  const script = fileURLToPath(import.meta.url);
  const log = join(tools.work, 'edge-grpc-origin.log');
  const origin = new ServerProcess(process.execPath, [script, String(grpcPort(tools))], log);
  await new Promise((resolve) => setTimeout(resolve, 500));
  origin.assertAlive();
  origin.pin(LOAD_CORE);
  return () => origin.stop();
}

function serve(port: number): void {
  const small = grpcMessage(100);
  const large = grpcMessage(1000);
  const server = createServer({ settings: { maxConcurrentStreams: 1024 } });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.resume();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    if (headers[':path'] !== GRPC.stream) {
      stream.end(small);
      return;
    }
    for (let i = 1; i < MESSAGES; i++) stream.write(large);
    stream.end(large);
  });
  server.listen(port, '127.0.0.1');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(Number(process.argv[2]));
