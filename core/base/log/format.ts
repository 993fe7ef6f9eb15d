/**
 * Formats a log entry as one line of JSON, or as text for humans. No field or message can start a
 * new entry.
 */
import type { LogValue } from './redact.ts';

interface LogEntry {
  readonly time: Date;
  readonly level: string;
  readonly message: string;
  readonly fields: { readonly [key: string]: LogValue };
}

/** The part of the daemon. Only JSON has it, since the message of text entries implies it. */
const COMPONENT = 'component';

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, marks that reorder text (Unicode
 * UAX 9) and surrogate halves. They could forge or hide a line, or move a terminal's cursor.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the regular expression finds them
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (c) => {
    if (c === '\n') return '\\n';
    if (c === '\r') return '\\r';
    if (c === '\t') return '\\t';
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * `{"time":…,"level":…,"message":…, …fields}`. A field with one of these names is written as
 * `field_time` and so on.
 */
export function formatJson(entry: LogEntry): string {
  const line: { [key: string]: LogValue } = {
    time: entry.time.toISOString(),
    level: entry.level,
    message: entry.message,
  };
  for (const [key, value] of Object.entries(entry.fields))
    line[Object.hasOwn(line, key) ? `field_${key}` : key] = value;
  return `${escapeControls(JSON.stringify(line))}\n`;
}

/**
 * `2025-01-31 12:00:00.000 INFO message key=value`. The stack of an error follows, one indented
 * line per frame.
 */
export function formatText(entry: LogEntry): string {
  const time = entry.time.toISOString().replace('T', ' ').replace('Z', '');
  let line = `${time} ${entry.level.toUpperCase().padEnd(5)} ${escapeControls(entry.message)}`;
  let frames = '';
  for (const [key, value] of Object.entries(entry.fields)) {
    if (key === COMPONENT) continue;
    const { rest, stack } = splitStack(value);
    line += ` ${escapeControls(key)}=${formatValue(rest)}`;
    for (const frame of stack) frames += `\n    ${escapeControls(frame)}`;
  }
  return `${line}${frames}\n`;
}

function formatValue(value: LogValue): string {
  const text = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return escapeControls(text);
}

/**
 * Separates the frames of an error's stack. The head of the stack is skipped: it repeats the
 * message.
 */
function splitStack(value: LogValue): { rest: LogValue; stack: string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || typeof value.stack !== 'string') {
    return { rest: value, stack: [] };
  }
  const { stack, ...rest } = value;
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line));
  return { rest, stack: frames.map((line) => line.trim()) };
}
