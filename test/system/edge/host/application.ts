/** The application of the host's thread: the site under one name. */
import type { Application } from '../../../../edge/http/server/application.ts';
import { type ClientTime, useClientTime } from './client-time.ts';
import { site } from './site.ts';

export interface HostData {
  readonly name: string;
  readonly pem: { readonly key: string; readonly cert: string };
}

export interface ThreadData extends HostData {
  readonly time: ClientTime;
}

/**
 * The host runs with --expose-gc: the memory that an attack leaves is measured without garbage.
 */
const collect = (globalThis as { gc?: () => void }).gc;

export function createApplication(data: unknown): Application {
  const { name, pem, time } = data as ThreadData;
  useClientTime(time);
  return {
    handler: site,
    certificateFor: (question) => (question === name ? pem : undefined),
    onMessage: () => collect?.(),
  };
}
