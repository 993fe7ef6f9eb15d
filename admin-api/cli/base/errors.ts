/** Errors of the command line, and their output for people and programs. */
import { InvalidError, WaypostError } from '../../../core/base/errors.ts';
import { escapeControls } from '../../../core/base/log/index.ts';
import { type CliIo, print } from './io.ts';

/** The command failed; `next` is the next step for the user. */
export class CliError extends WaypostError {
  readonly next?: string;

  constructor(code: string, message: string, options: { next?: string; pointer?: string; cause?: unknown } = {}) {
    super(code, message, options);
    this.next = options.next;
  }
}

export interface ErrorDetail {
  readonly message: string;
  /** File in a package, or included by a zone file. */
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
}

/** The daemon returned an error. */
export class ApiError extends CliError {
  readonly details: readonly ErrorDetail[];
  readonly requestId?: string;

  constructor(
    /** HTTP status. */
    readonly status: number,
    fault: { code: string; message: string; pointer?: string; details: readonly ErrorDetail[]; requestId?: string },
  ) {
    super(fault.code, fault.message, { pointer: fault.pointer, next: nextStep(status, fault) });
    this.details = fault.details;
    this.requestId = fault.requestId;
  }
}

export const HOW_TO_GET_A_TOKEN =
  'Get one with "waypost token create --login admin" and set WAYPOST_TOKEN to it, or pass --token.';

const NEXT_BY_CODE: { readonly [code: string]: string } = {
  zone_exists:
    'If "waypost domain list" shows the zone, replace its records with "waypost zone import FILE --replace"; otherwise another account owns it.',
  public_suffix: 'Use a domain that is registered below it, or ask an administrator to create it.',
  special_use_name: 'Use a registered domain, or a name below "test", "example" or "internal" for your own network.',
  service_name:
    'Use another domain; an administrator can create it in an account with the role "admin". The names are in docs/dns.md.',
  plan_limit: 'Delete what is not needed, or ask an administrator for a larger plan.',
  cname_at_apex: 'Use an ALIAS record instead.',
  record_exists:
    'List the records with "waypost record list"; replace all records of a name and type with "waypost record set".',
  steered: 'Change it with "waypost steering set", or delete it with "waypost steering rm" first.',
  no_such_domain: 'List the domains of this account with "waypost domain list".',
  no_such_key: 'List the keys of other providers with "waypost dnssec foreign-keys list".',
  no_such_version: 'List them with "waypost rules versions" or "waypost steering versions".',
  no_such_webhook: 'List the webhooks of this account with "waypost webhook list".',
  no_such_delivery: 'List the deliveries of the webhook with "waypost webhook deliveries".',
  no_such_store_key: 'List the keys with "waypost pkg keys list".',
  no_such_steering: 'List the steered record sets with "waypost steering list".',
  no_such_record: 'List the records of the domain with "waypost record list".',
  no_such_token: 'List the tokens of this account with "waypost token list".',
  no_such_tsig_key: 'List the TSIG keys of this account with "waypost tsig list".',
  no_such_upload: 'List your apps with "waypost pkg list", and the packages of an app with "waypost pkg list APP".',
  no_such_app: 'List your apps with "waypost pkg list".',
  no_such_account: 'List the accounts with "waypost account list".',
  no_such_change: 'Writes print the number of their change: "(change 1234)", or the field "change" with --json.',
  app_taken: 'If the app is yours, use a token of the account that uploaded it first.',
  app_suspended: 'Ask an administrator to run "waypost pkg reinstate APP".',
  package_too_large: 'Make the package smaller, or raise packages.max_bytes (WAYPOST_PACKAGES_MAX_BYTES).',
  has_domains: 'The owner must remove the domains first, with "waypost domain rm".',
  last_admin: 'Make another account an administrator first: "waypost account set NAME --role admin".',
  no_such_endpoint: 'The daemon may be older than this command; "waypost --version" prints the version of the command.',
  code_required: 'Pass --code with a code of your authenticator app, or with a recovery code.',
  bad_code: 'Pass --code with the next code of your authenticator app.',
  code_locked: 'Wait, then use a new code; or pass --code with a recovery code.',
  own_password: 'Change your own password in the dashboard, or with "waypost account set NAME".',
  own_email: 'Change your own e-mail address in the dashboard, or with "waypost account set NAME".',
  own_account: 'Remove your own second factors in the dashboard, or let another administrator do it.',
  changed: 'The domain was changed in the meantime; run the command again.',
  restricted_token: 'Use a token that is not restricted to domains; "waypost token list" shows them.',
  token_policy: 'Use a token whose policies allow this; "waypost token list --json" shows them.',
  token_network: 'Run the command from one of these networks, or use another token.',
  insufficient_scope: 'Use a token with that scope; "waypost token list" shows the scopes of each token.',
  feature_level: 'Update the nodes that the message names; "waypost cluster status" shows the version of each.',
  write_conflict: 'Run the command again.',
  disk_full: 'Free space on the disk of the node, or use another node with --url.',
  overloaded: 'Wait, or use another node with --url.',
  clock_off: 'Set the clock of the node and start a time service ("waypost doctor"), or use another node with --url.',
  not_ready: 'Wait until "waypost status" reports that the daemon is ready.',
};

const NEXT_BY_STATUS: { readonly [status: number]: string } = {
  401: HOW_TO_GET_A_TOKEN,
  403: 'Use a token of an account whose role allows this, or ask an administrator.',
  413: 'Raise admin.max_body (WAYPOST_ADMIN_MAX_BODY) and restart the daemon, or split the file.',
  429: 'Wait and run the command again, or raise rate_limit (WAYPOST_RATE_LIMIT).',
  503: 'Run the command again shortly; "waypost status" shows the state of the daemon.',
};

function nextStep(status: number, { code, message }: { code: string; message: string }): string | undefined {
  // A shell splits content at its spaces, and the first part lacks a field.
  if (code === 'invalid_content' && message.includes(' is missing'))
    return 'Quote content with spaces, so that it is one argument.';
  if (Object.hasOwn(NEXT_BY_CODE, code)) return NEXT_BY_CODE[code];
  return NEXT_BY_STATUS[status] ?? (status >= 500 ? 'Search the log of the daemon for the request id.' : undefined);
}

/**
 * Formats an error for people. Text from the network is escaped, so that it cannot control the
 * terminal.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof WaypostError)) {
    if (!(error instanceof Error)) return `error: ${error}`;
    // The message of a system error names the file and the reason, so the stack is not printed.
    return `error: ${'syscall' in error ? escapeControls(error.message) : (error.stack ?? error.message)}`;
  }
  const codeAndPointer = [error.code, error.pointer].filter((part) => part !== undefined).join(', ');
  const lines = [`error: ${shownMessage(error)} (${escapeControls(codeAndPointer)})`];
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

/** A configuration error has one line for each problem; all other messages are one line. */
function shownMessage(error: WaypostError): string {
  return error.message.split('\n').map(escapeControls).join('\n');
}

/** Prints an error to standard error, for people or as JSON. */
export function reportError({ stderr }: Pick<CliIo, 'stderr'>, error: unknown, json: boolean | undefined): void {
  print(stderr, json ? JSON.stringify(errorToJson(error)) : describeError(error));
}

/** Whether all other items of a list would fail too: no valid token, no daemon, or a bug. */
export function isFatalForAll(error: unknown): boolean {
  if (!(error instanceof WaypostError)) return true;
  if (error instanceof ApiError) return error.status === 401 || error.status === 403;
  // Concerns a file or a name of a single item.
  if (error instanceof InvalidError) return false;
  return error.code !== 'unreadable';
}

/** The error in the format of the API: `{ok: false, error: {…}}`. */
function errorToJson(error: unknown): object {
  if (!(error instanceof WaypostError)) {
    return { ok: false, error: { code: 'internal', message: error instanceof Error ? error.message : String(error) } };
  }
  const { code, message, pointer } = error;
  const next = error instanceof CliError ? error.next : undefined;
  const rest = error instanceof ApiError ? { details: error.details } : {};
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return { ok: false, error: { code, message, pointer, next, ...rest }, request_id: requestId };
}
