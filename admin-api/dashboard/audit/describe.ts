/** Describes entries of the audit log: what happened as a heading, and the whole as a sentence. */
import type { AuditEntry } from '../api/views.ts';
import { toUnicode } from '../names.ts';
import { TEXTS } from '../texts.ts';

/** Maximum characters of a value. The audit log has the full text. */
const MAX_LENGTH = 200;

/** Fields of a detail that the predicate has already, or that identify nothing for people. */
const KNOWN = new Set(['name', 'username', 'url', 'app_id', 'before', 'changes', 'shortened', 'domain_ids', 'sha256']);

type Detail = Readonly<Record<string, unknown>>;

/** `action`: code in the audit log. Null: the service made the change. */
export const actionText = (action: string | null): string =>
  action === null ? TEXTS.serviceAction : (TEXTS.actions[action] ?? action);

export interface AuditSentence {
  readonly who: string;
  /** The predicate with its object, such as "changed the record www A of example.com". */
  readonly did: string;
  /** Values, and `old → new` where the entry has both. */
  readonly changes: readonly string[];
}

export function describeSentence(entry: AuditEntry): AuditSentence {
  const { actor, action, domain, detail } = entry;
  const texts = TEXTS.audit;
  const key = actor?.token_id == null || actor.token_name === null ? '' : ` ${texts.with(actor.token_name)}`;
  return {
    who: actor === null ? texts.service : `${actor.username}${key}`,
    did: fill(TEXTS.did[action] ?? texts.serviceDid, objectOf(detail), domain === null ? '' : toUnicode(domain)),
    changes: changesOf(detail),
  };
}

/** Describes the changed object. Empty if the action needs no object. */
export function describeEntry(entry: AuditEntry): string {
  const { name, type, content } = entry.detail as Detail;
  if (typeof type === 'string' && typeof content === 'string') return shortened([name, type, content].join(' '));
  return [objectOf(entry.detail), changesOf(entry.detail).join('; ')].filter((text) => text !== '').join(': ');
}

/** A missing object or domain is left out with its preposition. */
const fill = (template: string, object: string, domain: string): string =>
  template
    .replace(object === '' ? / (?:of )?\$object/ : '$object', () => object)
    .replace(domain === '' ? / (?:(?:of|to|from|for|in|into) )?\$domain/ : '$domain', () => domain);

function objectOf(detail: Detail): string {
  const { name, type, username, url, app_id: app } = detail;
  if (typeof name === 'string') return typeof type === 'string' ? `${name} ${type}` : name;
  return [username, url, app].find((value) => typeof value === 'string') ?? '';
}

function changesOf(detail: Detail): string[] {
  const { before, changes } = detail;
  if (Array.isArray(changes)) return recordChanges(changes, detail);
  const old = typeof before === 'object' && before !== null ? (before as Detail) : null;
  return Object.entries(detail).flatMap(([name, value]) => {
    if (KNOWN.has(name) || (name === 'type' && typeof detail.name === 'string')) return [];
    const label = name === 'content' ? '' : labelOf(name);
    const after = textOf(value);
    if (old !== null && name in old) {
      const was = textOf(old[name]);
      return was === after ? [] : [TEXTS.audit.moved(label, was, after)];
    }
    return isEmpty(value) ? [] : [TEXTS.audit.value(label, after)];
  });
}

interface LoggedChange {
  readonly name: string;
  readonly type: string;
  /** Null: the record was added. */
  readonly before: string | null;
  /** Null: the record was deleted. */
  readonly after: string | null;
}

/** The records of a batch, of which the log keeps the first. */
function recordChanges(changes: readonly LoggedChange[], { deleted, updated, created }: Detail): string[] {
  const count = Number(deleted) + Number(updated) + Number(created);
  const lines = changes
    .filter((change) => typeof change === 'object')
    .map(({ name, type, before, after }) =>
      TEXTS.audit.moved(`${name} ${type}`, before ?? TEXTS.audit.nothing, after ?? TEXTS.audit.nothing),
    );
  return count > lines.length ? [...lines, TEXTS.audit.more(count - lines.length)] : lines;
}

function labelOf(name: string): string {
  const label = TEXTS.fields[name]?.label ?? name.replaceAll('_', ' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function textOf(value: unknown): string {
  const texts = TEXTS.audit;
  if (typeof value === 'boolean') return value ? texts.on : texts.off;
  if (isEmpty(value)) return texts.nothing;
  if (Array.isArray(value)) return shortened(value.filter((item) => typeof item !== 'object').join(', '));
  return shortened(String(value));
}

/** Objects inside a detail have no words of their own. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || value === 0 || value === false || isObject(value);

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);

const shortened = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
