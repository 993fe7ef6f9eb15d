/** The loads of `bench:edge`, and what is to be reached in each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GRPC, grpcMessage } from './grpc-origin.ts';
import { driveH2load } from './h2load.ts';
import { FILES, SINK, uploadOf } from './origin-files.ts';
import type { Goal, Row } from './rows.ts';

/** Rows of gRPC, which only some proxies are set to. */
export const GRPC_ROWS: readonly string[] = ['grpc-unary', 'grpc-stream'];

/** Rows that need a cache. */
export const CACHED: readonly string[] = ['hit', 'hit-h1'];

const nginx = (atLeast: number, aim: number): Goal => ({ peer: 'nginx', atLeast, aim });

export const proxiedRows = (work: string): readonly Row[] => [
  {
    id: 'hit',
    text: 'cache hit of 2,000 bytes, 16 connections × 16 streams',
    goals: [nginx(1.2, 3)],
    drive: (server, seconds) => driveH2load(server, { connections: 16, streams: 16, path: FILES.hit }, seconds),
  },
  {
    id: 'proxied',
    text: 'proxied, 2,000 bytes, keep-alive origin, 16 × 16; goals by CPU',
    goals: [nginx(1.4, 1.7), { peer: 'Caddy', atLeast: 5 }, { peer: 'HAProxy', atLeast: 0.95, aim: 1.1 }],
    by: 'cpu',
    drive: (server, seconds) => driveH2load(server, { connections: 16, streams: 16, path: FILES.fresh }, seconds),
  },
  {
    id: 'hit-h1',
    text: 'cache hit of 2,000 bytes over HTTP/1.1, 64 connections',
    goals: [nginx(0.6, 1)],
    drive: (server, seconds) =>
      driveH2load(server, { connections: 64, streams: 1, path: FILES.hit, http1: true }, seconds),
  },
  {
    id: 'download',
    text: 'proxied download of 10 MB, 4 × 1; goals by CPU',
    goals: [nginx(0.9, 1)],
    by: 'cpu',
    drive: (server, seconds) => driveH2load(server, { connections: 4, streams: 1, path: FILES.big }, seconds),
  },
  {
    id: 'upload',
    text: 'proxied upload of 10 MB, 4 × 1; goals by CPU',
    goals: [nginx(0.8, 1)],
    by: 'cpu',
    drive: (server, seconds) =>
      driveH2load(server, { connections: 4, streams: 1, path: SINK, upload: uploadOf(work) }, seconds),
  },
  grpcRow('grpc-unary', 'gRPC, a call of 100 bytes each way, 16 × 16; goals by CPU', work, 16, GRPC.unary),
  grpcRow('grpc-stream', 'gRPC, a stream of 100 messages of 1 KB, 16 × 4; goals by CPU', work, 4, GRPC.stream),
];

function grpcRow(id: string, text: string, work: string, streams: number, path: string): Row {
  return {
    id,
    text,
    goals: [nginx(1, 1.3), { peer: 'HAProxy', atLeast: 1, aim: 1.3 }],
    by: 'cpu',
    drive(server, seconds) {
      const grpc = join(work, 'edge-grpc-message');
      writeFileSync(grpc, grpcMessage(100));
      return driveH2load(server, { connections: 16, streams, path, grpc }, seconds);
    },
  };
}
