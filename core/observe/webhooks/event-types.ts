/** The types of events, and the choices of a webhook. */

export const EVENT_TYPES = [
  'domain.created',
  'domain.changed',
  'domain.deleted',
  'records.changed',
  'proxy.changed',
  'certificate.issued',
  'certificate.failed',
  'certificate.expiring',
  'dnssec.changed',
  'dnssec.phase',
  'dnssec.problem',
  'audit.entry',
  'audit.verdict',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The type of test deliveries, which are sent only on request, whatever the webhook has chosen. */
export const TEST_EVENT = 'webhook.test' as const;

/** All choices of a webhook: each type, each family such as `dnssec.*`, and `*`. */
export const EVENT_CHOICES: readonly string[] = [
  '*',
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...EVENT_TYPES,
];

export function isChosen(type: EventType, chosen: readonly string[]): boolean {
  return chosen.some((choice) => choice === type || choice === '*' || choice === `${type.split('.')[0]}.*`);
}
