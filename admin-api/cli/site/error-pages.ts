/** `waypost error-pages`: the pages that visitors see when the edge itself reports an error. */
import type { Command } from 'commander';
import { renderPreview } from '../../../core/site/error-pages/preview.ts';
import { asText, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { wholeNumber } from '../base/numbers.ts';
import { rowsOf } from '../base/pages.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { documentPath, editDocument } from './document.ts';

const MAINTENANCE = 'maintenance';
const WHICH = 'a status such as 404, "4xx", "5xx", or "maintenance"';
const NAME = 'error-pages';

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
      const body = await call.api.json({ method: 'GET', path: documentPath(domain, NAME) });
      const pages = pagesOf(body);
      if (page === undefined) {
        const rows = [...pages].map(([status, content]) => ({ status, bytes: Buffer.byteLength(content) }));
        await call.rows(rows, { PAGE: 'status', BYTES: 'bytes' }, 'The domain has no error pages of its own.');
        return true;
      }
      const html = pages.get(page);
      if (html === undefined) throw missing(domain, page);
      call.io.stdout.write(html);
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
      action<{ status?: number }>(async ({ status = 502 }, [file]) => {
        const html = await readText(file);
        io.stdout.write(renderPreview(html, String(status)));
        return true;
      }),
    );
}

/** HTML by status, class, or "maintenance". */
function pagesOf(body: Json): Map<string, string> {
  const pages = new Map(rowsOf(body.pages).map(({ status, html }) => [asText(status) ?? '', asText(html) ?? '']));
  const maintenance = asText(body.maintenance);
  if (maintenance !== undefined) pages.set(MAINTENANCE, maintenance);
  return pages;
}

/** Fails if the pages change in between. */
async function replacePages(
  call: Call,
  domain: Domain,
  done: string,
  replace: (pages: Map<string, string>) => void,
): Promise<void> {
  const changed = await editDocument(call, documentPath(domain, NAME), (before) => {
    const pages = pagesOf(before);
    replace(pages);
    const { [MAINTENANCE]: maintenance = null, ...others } = Object.fromEntries(pages) as Record<string, string>;
    return { pages: Object.entries(others).map(([status, html]) => ({ status, html })), maintenance };
  });
  call.show(changed, done);
}

const missing = ({ domain }: Domain, page: string): CliError =>
  new CliError(
    'no_such_page',
    `${domain} has no error page for ${page}; "waypost error-pages get ${domain}" lists them.`,
  );
