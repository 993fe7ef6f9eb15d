/** `waypost error-pages`: the pages that visitors see when the edge itself reports an error. */
import type { Command } from 'commander';
import { renderPreview } from '../../../core/site/error-pages/preview.ts';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { wholeNumber } from '../base/numbers.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { ifUnchanged, PROXY } from './document.ts';

const MAINTENANCE = 'maintenance';
const WHICH = 'a status such as 404, "4xx", "5xx", or "maintenance"';
const ERROR_PAGES = `${PROXY}/error-pages` as const;

export function addErrorPagesCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'error-pages', 'the error pages of the sites of a domain', [
    'waypost error-pages preview 5xx.html > preview.html',
    'waypost error-pages set example.com 5xx 5xx.html',
    'waypost error-pages get example.com',
  ]);
  addVerb(group, context, {
    usage: 'get <domain> [page]',
    about: `list the pages of a domain, or print the HTML of one: ${WHICH}`,
    examples: ['waypost error-pages get example.com', 'waypost error-pages get example.com 5xx > 5xx.html'],
    async run(call, [domainName, page]) {
      const domain = await call.domain(domainName);
      const pages = pagesOf(await call.api.GET(ERROR_PAGES, { params: { path: { domain_id: domain.id } } }));
      if (page === undefined) {
        const rows = [...pages].map(([status, content]) => ({ status, bytes: Buffer.byteLength(content) }));
        await call.rows(rows, { PAGE: 'status', BYTES: 'bytes' }, 'The domain has no error pages of its own.');
        return true;
      }
      const html = pages.get(page);
      if (html === undefined) throw missing(domain, page);
      if (call.options.json) call.document({ status: page, html });
      else call.io.stdout.write(html);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain> <page> <file>',
    about: `set a page: ${WHICH}`,
    examples: [
      'waypost error-pages set example.com 404 404.html',
      'waypost error-pages set example.com maintenance closed.html',
    ],
    async run(call, [domainName, page, file]) {
      const html = await readText(file);
      const domain = await call.domain(domainName);
      await replacePages(call, domain, `set the page for ${page} of ${domain.domain}`, (pages) =>
        pages.set(page, html),
      );
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'rm <domain> <page>',
    about: `delete a page: ${WHICH}`,
    examples: ['waypost error-pages rm example.com 404'],
    async run(call, [domainName, page]) {
      const domain = await call.domain(domainName);
      await replacePages(call, domain, `deleted the page for ${page} of ${domain.domain}`, (pages) => {
        if (!pages.delete(page)) throw missing(domain, page);
      });
      return true;
    },
  });
  addPreview(group, context);
}

/** Needs no daemon. */
function addPreview(group: Command, { io, action }: CommandContext): void {
  const examples = ['waypost error-pages preview 5xx.html > preview.html'];
  group
    .command('preview')
    .description('check the HTML of a page, and print it with sample values')
    .argument('<file>', 'the HTML of the page')
    .addOption(option('--status <status>', 'the status that is shown (default: 502)').argParser(wholeNumber(400, 599)))
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}\n`).join('')}`)
    .action(
      action<{ status?: number }>(async ({ status = 502, json }, [file]) => {
        const html = await readText(file);
        const preview = renderPreview(html, String(status));
        io.stdout.write(json ? `${JSON.stringify({ ok: true, status, html: preview })}\n` : preview);
        return true;
      }),
    );
}

/** HTML by status, class, or "maintenance". */
function pagesOf({ pages, maintenance }: ApiResponse<'getErrorPages'>): Map<string, string> {
  const byStatus = new Map(pages.map(({ status, html }) => [status, html]));
  if (maintenance !== null) byStatus.set(MAINTENANCE, maintenance);
  return byStatus;
}

/** Fails if the pages change in between. */
async function replacePages(
  call: Call,
  domain: Domain,
  done: string,
  replace: (pages: Map<string, string>) => void,
): Promise<void> {
  const before = await call.api.GET(ERROR_PAGES, { params: { path: { domain_id: domain.id } } });
  const pages = pagesOf(before);
  replace(pages);
  const { [MAINTENANCE]: maintenance = null, ...others } = Object.fromEntries(pages) as Record<string, string>;
  const body = { pages: Object.entries(others).map(([status, html]) => ({ status, html })), maintenance };
  call.show(await call.api.PUT(ERROR_PAGES, { params: ifUnchanged(domain, before), body }), done);
}

const missing = ({ domain }: Domain, page: string): CliError =>
  new CliError(
    'no_such_page',
    `${domain} has no error page for ${page}; "waypost error-pages get ${domain}" lists them.`,
  );
