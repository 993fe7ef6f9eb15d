/** Describes entries of the audit log. */
import type { AuditEntry } from '../api/views.ts';
import { TEXTS } from '../texts.ts';

/** Maximum characters of a description. The audit log has the full text. */
const MAX_LENGTH = 200;

/** `action`: code in the audit log. Null: the service made the change. */
export const actionText = (action: string | null): string =>
  action === null ? TEXTS.serviceAction : (TEXTS.actions[action] ?? action);

/** Describes the changed object. Empty if the action needs no object. */
export function describeEntry({ detail }: Pick<AuditEntry, 'detail'>): string {
  const { name, type, content } = detail as Record<string, unknown>;
  const text =
    typeof type === 'string' && typeof content === 'string'
      ? [name, type, content].join(' ')
      : Object.entries(detail).flatMap(describeField).join(', ');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function describeField([name, value]: [string, unknown]): string[] {
  if (value === null || value === '' || value === 0) return [];
  if (Array.isArray(value)) return [`${words(name)} ${value.join(' ')}`];
  if (typeof value === 'object') return [];
  if (name === 'name' || name === 'username') return [String(value)];
  return [`${words(name)} ${value}`];
}

const words = (name: string): string => name.replaceAll('_', ' ');
