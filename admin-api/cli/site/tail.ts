/** `waypost proxy tail`: prints requests while they are served. */
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { asObject, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { print, safeJson } from '../base/io.ts';
import { wholeNumber } from '../base/numbers.ts';
import { count, shown } from '../base/table.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

/** Maximum characters of an event. */
const MAX_EVENT = 4 << 20;

export function addProxyTail(proxy: Command, context: CommandContext): void {
  addVerb(proxy, context, {
    usage: 'tail <domain>',
    about: 'print the requests of the domain while all nodes serve them, at most 50 a second',
    options: [option('--count <n>', 'end after so many requests').argParser(wholeNumber(1, 1_000_000))],
    examples: ['waypost proxy tail example.com', 'waypost proxy tail example.com --json | jq .path'],
    async run(call: Call<{ count?: number }>, [domainName]) {
      const { id: domain_id, domain } = await call.domain(domainName);
      const body = await call.api.GET('/api/v1/domains/{domain_id}/requests/tail', {
        params: { path: { domain_id } },
        headers: { accept: 'text/event-stream' },
        parseAs: 'stream',
      });
      call.note(`watching ${domain}; press Ctrl+C to end`);
      let left = call.options.count ?? Number.POSITIVE_INFINITY;
      for await (const { node, omitted, requests } of readSamples(body)) {
        for (const request of Array.isArray(requests) ? (requests as Json[]) : []) {
          const line = call.options.json ? safeJson({ node, ...request }) : escapeControls(describe(request));
          print(call.io.stdout, line);
          if (--left === 0) return true;
        }
        if (omitted !== 0) call.note(`${count(Number(omitted), 'more request')} on ${shown(node)}`);
      }
      call.note('the daemon has ended the stream');
      return true;
    },
  });
}

/** The data of the events `requests`. */
async function* readSamples(body: AsyncIterable<unknown>): AsyncGenerator<Json> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk as Buffer, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > MAX_EVENT) return;
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const sample = data === undefined ? undefined : asObject(JSON.parse(data));
      if (sample !== undefined) yield sample;
    }
  }
}

function describe({ time, status, method, scheme, host, path, ms, cache, client, user_agent: agent }: Json): string {
  const url = `${shown(scheme)}://${shown(host)}${shown(path)}`;
  const quoted = agent === null ? '' : ` ${JSON.stringify(agent)}`;
  return `${shown(time)} ${shown(status)} ${shown(method)} ${url} ${shown(ms)} ms, ${shown(cache)}, ${shown(client)}${quoted}`;
}
