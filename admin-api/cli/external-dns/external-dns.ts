/** `waypost external-dns-webhook`: the webhook provider of external-dns, next to it in its pod. */
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createLogger } from '../../../core/base/log/index.ts';
import { type ApiClient, withClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, type GlobalOptions, print } from '../base/io.ts';
import { stopSignal } from '../base/stop-signal.ts';
import { type Address, startHealth, startWebhook } from './server.ts';
import { ExternalDnsZones } from './zones.ts';

interface WebhookOptions extends GlobalOptions {
  readonly listen: Address;
  readonly healthListen?: Address;
  readonly domainFilter?: readonly string[];
}

const LISTEN: Address = { host: '127.0.0.1', port: 8888 };
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

const HELP = `
external-dns, with --provider=webhook, sends its requests to http://localhost:8888, which needs no
credentials. The command sends them on to the API with its token. The token needs the scope "dns".

Examples:
  $ waypost external-dns-webhook
  $ waypost external-dns-webhook --domain-filter example.com --health-listen 0.0.0.0:8080
`;

export function addExternalDnsCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('external-dns-webhook')
    .description('serve the webhook of external-dns')
    .addOption(
      new Option('--listen <address:port>', 'a loopback address (default: 127.0.0.1:8888)')
        .argParser(readLoopback)
        .default(LISTEN, '127.0.0.1:8888'),
    )
    .addOption(
      new Option('--health-listen <address:port>', 'serve /healthz, and nothing else, at this address too').argParser(
        readAddress,
      ),
    )
    .addOption(
      new Option('--domain-filter <name...>', 'only these domains, or names below (default: all of the token)'),
    )
    .addHelpText('after', HELP)
    .action(action<WebhookOptions>((options) => withClient(io, options, (api) => serve(io, api, options))));
}

async function serve(io: CliIo, api: ApiClient, options: WebhookOptions) {
  const log = createLogger({
    level: 'info',
    format: options.json ? 'json' : 'text',
    write: (line) => void io.stderr.write(line),
  });
  const zones = new ExternalDnsZones(api, (options.domainFilter ?? []).map(zoneName), log);
  // Reports a wrong URL or token at startup, not at each request.
  await zones.adjust([]);
  const webhook = await listening(options.listen, (address) => startWebhook(zones, address, log));
  const health = options.healthListen === undefined ? undefined : await listening(options.healthListen, startHealth);
  const stopped = stopSignal();
  const url = `http://${formatHost(options.listen.host)}:${webhook.port}`;
  print(io.stdout, options.json ? JSON.stringify({ ok: true, url }) : `external-dns webhook ready: ${url}`);
  await stopped;
  webhook.close();
  health?.close();
  return true;
}

async function listening<T>(address: Address, start: (address: Address) => Promise<T>): Promise<T> {
  try {
    return await start(address);
  } catch (error) {
    const { host, port } = address;
    throw new CliError('cannot_listen', `cannot listen on ${formatHost(host)}:${port}: ${(error as Error).message}`, {
      next: 'Choose another address with --listen or --health-listen.',
      cause: error,
    });
  }
}

const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

function readAddress(text: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  if (isIP(host) === 0 || Number(port) > 65_535)
    throw new InvalidArgumentError('Use an address and a port, such as 127.0.0.1:8888 or [::1]:8888.');
  return { host, port: Number(port) };
}

/** Accepts only loopback addresses, because the protocol has no credentials. */
function readLoopback(text: string): Address {
  const address = readAddress(text);
  if (!LOOPBACK.test(address.host))
    throw new InvalidArgumentError('Use an address of the loopback, such as 127.0.0.1; requests need no credentials.');
  return address;
}
