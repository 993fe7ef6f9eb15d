import { WaypostError } from '../../core/base/errors.ts';
import { escapeControls } from '../../core/base/log/index.ts';
import { type CliIo, print } from './io.ts';

/** The command can't be done; `next` says what the person can do about it. */
export class CliError extends WaypostError {
  readonly next?: string;

  constructor(code: string, message: string, options: { next?: string; pointer?: string; cause?: unknown } = {}) {
    super(code, message, options);
    this.next = options.next;
  }
}

export interface ErrorDetail {
  readonly message: string;
  /** Of a package. */
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
}

/** The daemon answered with an error. */
export class ApiError extends CliError {
  /** HTTP status. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId?: string;

  constructor(
    status: number,
    fault: { code: string; message: string; pointer?: string; details: readonly ErrorDetail[]; requestId?: string },
  ) {
    super(fault.code, fault.message, { pointer: fault.pointer, next: nextStep(status, fault.code) });
    this.status = status;
    this.details = fault.details;
    this.requestId = fault.requestId;
  }
}

export const HOW_TO_GET_A_TOKEN =
  'Get one with "waypost token create --login admin" and set WAYPOST_TOKEN to it, or pass --token.';

const NEXT_BY_CODE: { readonly [code: string]: string } = {
  zone_exists:
    'If "waypost domain list" has it, "waypost zone import FILE --replace" replaces its records; else another account has it.',
  plan_limit: 'Remove a domain, or ask an administrator for a larger plan.',
  cname_at_apex: 'Use the type ALIAS there.',
  record_exists: 'See "waypost record list"; "waypost record set" replaces all records of a name and type.',
  invalid_content: 'A content with spaces is one argument: quote it, as in "10 mail.example.com".',
  no_such_record: 'See "waypost record list" for the records of the domain.',
  no_such_token: 'See "waypost token list" for the tokens of this account.',
  no_such_tsig_key: 'See "waypost tsig list" for the TSIG keys of this account.',
  no_such_upload: 'See "waypost pkg list" for your apps, and "waypost pkg list APP" for the packages of one.',
  no_such_app: 'See "waypost pkg list" for your apps.',
  no_such_account: 'See "waypost account list" for the accounts.',
  no_such_change: 'Writes tell the number of theirs: "(change 1234)", or with --json the field "change".',
  app_taken: 'If the app is yours, use a token of the account that uploaded it first.',
  app_suspended: 'Ask an administrator, who takes it back with "waypost pkg reinstate APP".',
  package_too_large: 'Make the package smaller, or raise packages.max_bytes (WAYPOST_PACKAGES_MAX_BYTES).',
  has_domains: 'Its owner has to remove them first: "waypost domain rm".',
  last_admin: 'Make another account an administrator first: "waypost account set NAME --role admin".',
  no_such_endpoint: 'The daemon may be older than this command; "waypost --version" says this one\'s.',
  changed: 'Somebody else changed it meanwhile; run the command again.',
  origin_required: 'Name the origin with "waypost proxy set DOMAIN ORIGIN".',
  insufficient_scope: 'Use a token with that scope; "waypost token list" shows what each may do.',
  write_conflict: 'Run the command again.',
  not_ready: 'Wait until "waypost status" says that the daemon is ready.',
};

const NEXT_BY_STATUS: { readonly [status: number]: string } = {
  401: HOW_TO_GET_A_TOKEN,
  403: 'Use a token of an account whose role allows this, or ask an administrator.',
  404: 'See "waypost domain list" for the domains of this account.',
  413: 'Raise admin.max_body (WAYPOST_ADMIN_MAX_BODY) and restart the daemon, or split the file.',
  429: 'Wait and run it again, or raise rate_limit (WAYPOST_RATE_LIMIT).',
  503: 'Run it again shortly; "waypost status" says how the daemon is.',
};

function nextStep(status: number, code: string): string | undefined {
  if (Object.hasOwn(NEXT_BY_CODE, code)) return NEXT_BY_CODE[code];
  return (
    NEXT_BY_STATUS[status] ?? (status >= 500 ? 'See the log of the daemon for the request named here.' : undefined)
  );
}

/** An error as lines for a person. What came over the network is escaped, so that it can't drive the terminal. */
export function describeError(error: unknown): string {
  if (!(error instanceof WaypostError)) {
    if (!(error instanceof Error)) return `error: ${error}`;
    // What the system refuses is told by its message: which file, and why.
    return `error: ${'syscall' in error ? escapeControls(error.message) : (error.stack ?? error.message)}`;
  }
  const place = [error.code, error.pointer].filter((part) => part !== undefined).join(', ');
  const lines = [`error: ${shownMessage(error)} (${escapeControls(place)})`];
  if (error instanceof ApiError) {
    for (const { file, line, pointer, message } of error.details) {
      const at = line === undefined ? '' : `line ${line}: `;
      const where = file !== undefined ? `${file}: ${at}` : at !== '' || pointer === undefined ? at : `${pointer}: `;
      lines.push(`  ${escapeControls(where + message)}`);
    }
  }
  if (error instanceof CliError && error.next !== undefined) lines.push(`  next: ${error.next}`);
  if (error instanceof ApiError && error.requestId !== undefined) {
    lines.push(`  request: ${escapeControls(error.requestId)}`);
  }
  return lines.join('\n');
}

/** The configuration's own message has a line for each fault; all others are one line. */
function shownMessage(error: WaypostError): string {
  return error.message.split('\n').map(escapeControls).join('\n');
}

/** Says it to a person, or with `json` to a program, on standard error. */
export function reportError({ stderr }: Pick<CliIo, 'stderr'>, error: unknown, json: boolean | undefined): void {
  print(stderr, json ? JSON.stringify(errorToJson(error)) : describeError(error));
}

/** What would fail in the same way for every other thing of a list: no token, no daemon, and faults of our own. */
export function failsAll(error: unknown): boolean {
  if (!(error instanceof WaypostError)) return true;
  if (error instanceof ApiError) return error.status === 401 || error.status === 403;
  return error.code !== 'unreadable';
}

/** The error as `{ok: false, error: {…}}`, as the API would say it. */
export function errorToJson(error: unknown): object {
  if (!(error instanceof WaypostError)) {
    return { ok: false, error: { code: 'internal', message: error instanceof Error ? error.message : String(error) } };
  }
  const { code, message, pointer } = error;
  const next = error instanceof CliError ? error.next : undefined;
  const rest = error instanceof ApiError ? { details: error.details } : {};
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return { ok: false, error: { code, message, pointer, next, ...rest }, request_id: requestId };
}
