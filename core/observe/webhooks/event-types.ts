/** The types of events, and how a webhook chooses among them. */

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

/** What only the request for a test delivers, whatever the webhook has chosen. */
export const TEST_EVENT = 'webhook.test' as const;

/** All that a webhook may choose: each type, each family as `dnssec.*`, and `*`. */
export const EVENT_CHOICES: readonly string[] = [
  '*',
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...EVENT_TYPES,
];

export function isChosen(type: EventType, chosen: readonly string[]): boolean {
  return chosen.some((choice) => choice === type || choice === '*' || choice === `${type.split('.')[0]}.*`);
}
