import { fstatSync } from 'node:fs';
import { formatJson, formatText } from './format.ts';
import { type LogValue, toSafeFields } from './redact.ts';

/** syslog(3): LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG. */
const PRIORITIES = { error: 3, warn: 4, info: 6, debug: 7 } as const;

/**
 * Priorities for the journal of systemd: a line that begins with `<6>` has the priority 6
 * (sd-daemon(3)). They are written only if standard error is connected to the journal.
 *
 * Returns whether the file is connected to the journal: systemd sets JOURNAL_STREAM to device and
 * inode of the connected stream (systemd.exec(5)), which differ after a redirection.
 */
export function isJournal(stream: string | undefined, descriptor: number): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Puts the priority before each line of an entry, since the journal stores each line. */
function withPriority(level: keyof typeof PRIORITIES, entry: string): string {
  return entry.replace(/^(?=.)/gm, `<${PRIORITIES[level]}>`);
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = { readonly [key: string]: unknown };
type LogMethod = (message: string, fields?: LogFields) => void;

/**
 * No method throws. Fields whose name ends with password, token, secret, authorization or private
 * key are redacted.
 */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /**
   * A logger that adds these fields to every entry. The entry's own fields take precedence. The
   * field `component` names a part of the daemon; only JSON has it.
   */
  child(fields: LogFields): Logger;
}

/** May change: each entry reads them. */
export interface LoggerOptions {
  /** The least severe level that is logged. */
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  /**
   * Writes one entry, which ends with a line feed. The default is standard error, so that standard
   * output contains only results.
   */
  readonly write?: (line: string) => void;
  /**
   * Whether lines have the priorities of the journal. Default: if standard error leads to the
   * journal, and `write` is omitted.
   */
  readonly hasPriorities?: boolean;
}

/**
 * The reader of standard error can exit (EPIPE). Without a listener, Node would end the process.
 */
function writeToStandardError(line: string): void {
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  process.stderr.write(line);
}

function ignore(): void {}

export function createLogger(options: LoggerOptions): Logger {
  const { write, hasPriorities = write === undefined && isJournal(process.env.JOURNAL_STREAM, 2) } = options;
  return withFields(options, hasPriorities, {});
}

/** `options` are read for each entry, since a reload changes them. */
function withFields(options: LoggerOptions, hasPriorities: boolean, own: { [key: string]: LogValue }): Logger {
  const write = options.write ?? writeToStandardError;
  const method =
    (level: LogLevel): LogMethod =>
    (message, fields) => {
      if (PRIORITIES[level] > PRIORITIES[options.level]) return;
      const format = options.format === 'json' ? formatJson : formatText;
      // A failure of the log must not stop the service.
      try {
        const all = fields === undefined ? own : { ...own, ...toSafeFields(fields) };
        const entry = format({ time: new Date(), level, message: String(message), fields: all });
        write(hasPriorities ? withPriority(level, entry) : entry);
      } catch {}
    };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (fields) => withFields(options, hasPriorities, { ...own, ...toSafeFields(fields) }),
  };
}
