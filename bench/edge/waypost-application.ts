/**
 * The application of the edge under test: answers by path from memory. Its data: paths of the
 * certificate and its key.
 */
import { readFileSync } from 'node:fs';
import type { Exchange } from '../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../edge/http/exchange/ready-answer.ts';
import type { Application } from '../../edge/http/server/application.ts';
import { BODIES, HOST } from './requests.ts';

const HEADERS = ['content-type', 'text/html; charset=utf-8', 'cache-control', 'public, max-age=86400'];

export function createApplication(data: unknown): Application {
  const { certificate, key } = data as { certificate: string; key: string };
  const pem = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  const answers = new Map<string, ReadyAnswer>(
    Object.entries(BODIES).map(([path, length]) => [path, new ReadyAnswer(200, HEADERS, Buffer.alloc(length, 'x'))]),
  );
  const missing = new ReadyAnswer(404, [], Buffer.alloc(0));
  return {
    handler: (exchange: Exchange) => exchange.answer(answers.get(exchange.path) ?? missing),
    certificateFor: (name) => (name === HOST ? pem : undefined),
  };
}
