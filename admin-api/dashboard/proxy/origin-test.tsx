/** The result of an origin test: each step with what was found, and the certificate. */
import type { ApiResponse } from '../../routes/routes.ts';
import { localTime } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { TEXTS } from '../texts.ts';

export type OriginTest = ApiResponse<'testProxyOrigin'>['test'];

export function OriginTestResult({ test: { ok, steps, certificate } }: { readonly test: OriginTest }) {
  const texts = TEXTS.proxy.origin.test;
  return (
    <div class={ok ? 'note' : 'note note-bad'} role="status">
      <p class="strong">{ok ? texts.passed : texts.failed}</p>
      <Timeline
        steps={steps.map(({ step, ok: isDone, ms, detail }) => ({
          state: isDone ? 'done' : 'failed',
          text: texts.step(texts.steps[step], ms),
          detail:
            step === 'tls' && certificate !== null
              ? `${detail} ${texts.certificate(certificate.names, certificate.issuer, localTime(certificate.expires_at))}`
              : detail,
        }))}
      />
    </div>
  );
}
