/** curl, over HTTP/1.1 and HTTP/2. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Run, runProgram, runShell, whyNotPrograms } from '../../../support/programs.ts';
import { type Host, startHost } from '../host/host.ts';
import { downloadHash, HINT, READY } from '../host/site.ts';
import { type BodyFile, bodyFile, DOWNLOAD_BYTES, UPLOAD_BYTES } from './bodies.ts';

/** What a body that passes through may add to the server's memory, megabytes, whatever its size. */
const GROWTH_MB = 64;
const SAMPLE_MS = 20;

const test = suite<{ host: Host }>('curl');
test.before(async (context) => {
  context.host = await startHost();
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

const VERSIONS = [
  { flag: '--http1.1', version: '1.1', line: 'HTTP/1.1' },
  { flag: '--http2', version: '2', line: 'HTTP/2' },
] as const;

/** Most that the server's memory grew by while `work` ran, megabytes. */
async function growthDuring(host: Host, work: () => Promise<void>): Promise<number> {
  const before = await host.memoryAtRest();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, host.memory());
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

const why = whyNotPrograms('curl');
if (why !== null) test.skip(`curl: ${why}`, () => {});
else for (const version of VERSIONS) curlTests(version);

function curlTests({ flag, version, line }: (typeof VERSIONS)[number]): void {
  const curl = (host: Host, ...args: readonly string[]): Promise<Run> =>
    runProgram('curl', ['-sS', flag, '--cacert', host.caFile, '--max-time', '50', ...args]);
  const sunk = (run: Run): unknown => {
    assert.is(run.code, 0, run.output);
    const { bytes, hash } = JSON.parse(run.output) as { bytes: number; hash: string };
    return { bytes, hash };
  };
  const expected = ({ bytes, hash }: BodyFile): unknown => ({ bytes, hash });

  test(`${line}: GET, as the handler receives it`, async ({ host }) => {
    const { code, output } = await curl(host, '-H', 'Accept: text/*', '-b', 'a=1; b=2', `${host.origin}/tell?q=1`);
    assert.is(code, 0, output);
    const event = JSON.parse(output) as Record<string, unknown> & { headers: string[] };
    assert.is(event.version, version);
    assert.equal([event.method, event.scheme, event.path], ['GET', 'https', '/tell?q=1']);
    assert.equal([event.authority, event.serverName], [`localhost:${host.tlsPort}`, 'localhost']);
    assert.is(event.headers[event.headers.indexOf('accept') + 1], 'text/*');
    assert.is(event.headers[event.headers.indexOf('cookie') + 1], 'a=1; b=2');
  });

  test(`${line}: HEAD has the head of GET, and no body`, async ({ host }) => {
    const { code, output } = await curl(host, '-I', `${host.origin}/ready`);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`^${line} 200`));
    assert.match(output, new RegExp(`^content-length: ${READY.length}\\r$`, 'im'));
    assert.match(output, /^date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r$/im);
  });

  test(`${line}: uploads, with a length and without`, async ({ host }) => {
    const body = bodyFile(300_001);
    assert.equal(sunk(await curl(host, '-T', body.path, `${host.origin}/sink`)), expected(body));
    assert.equal(sunk(await curl(host, '--data-binary', `@${body.path}`, `${host.origin}/sink`)), expected(body));
    const piped = `cat "$1" | curl -sS ${flag} --cacert "$2" -T - "$3"`;
    assert.equal(sunk(await runShell(piped, body.path, host.caFile, `${host.origin}/sink`)), expected(body));
    const empty = bodyFile(0);
    assert.equal(sunk(await curl(host, '-X', 'POST', '-d', '', `${host.origin}/sink`)), expected(empty));
  });

  test(`${line}: an upload that waits for 100 gets it`, async ({ host }) => {
    const body = bodyFile(100_000);
    const args = ['-v', '-H', 'Expect: 100-continue', '--expect100-timeout', '30', '--data-binary', `@${body.path}`];
    const { code, output } = await curl(host, ...args, `${host.origin}/sink`);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`^< ${line} 100 [\\s\\S]*^< ${line} 200 `, 'm'));
    assert.ok(output.includes(body.hash), output);
  });

  test(`${line}: 103 comes before the response`, async ({ host }) => {
    const { code, output } = await curl(host, '-i', `${host.origin}/hints`);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`^${line} 103[\\s\\S]*^${line} 200`, 'm'));
    assert.ok(output.indexOf(`link: ${HINT}`) > 0, output);
    assert.ok(output.endsWith(READY));
  });

  test(`${line}: trailers come after the body`, async ({ host }) => {
    const { code, output } = await curl(host, '-i', '-H', 'TE: trailers', `${host.origin}/trailers`);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`x-sum: ${READY.length}\\r?$`, 'm'));
  });

  test(`${line}: a slow response is complete`, async ({ host }) => {
    const { code, output } = await curl(host, `${host.origin}/slow/10`);
    assert.is(code, 0, output);
    assert.is(output, Array.from({ length: 10 }, (_, i) => `${i}\n`).join(''));
  });

  test(`${line}: many at a time, on few connections`, async ({ host }) => {
    const before = (await host.counters()).server_accepted_tls;
    const args = ['-Z', '--parallel-max', '20', '-w', '%{http_version} %{http_code} %{size_download}\\n'];
    const { code, output } = await curl(host, ...args, ...many(host));
    assert.is(code, 0, output);
    const lines = output.split('\n').filter((word) => word.startsWith(version));
    assert.equal(lines, new Array<string>(REQUESTS).fill(`${version} 200 ${READY.length}`), output);
    const connections = (await host.counters()).server_accepted_tls - before;
    assert.ok(connections <= 20, `${connections} connections`);
  });

  test(`${line}: an upload of ${UPLOAD_BYTES} bytes, with flat memory`, async ({ host }) => {
    const body = bodyFile(UPLOAD_BYTES);
    const grown = await growthDuring(host, async () => {
      assert.equal(sunk(await curl(host, '-T', body.path, `${host.origin}/sink`)), expected(body));
    });
    assert.ok(grown < GROWTH_MB, `${grown} MB more`);
  });

  test(`${line}: a download of ${DOWNLOAD_BYTES} bytes, with flat memory`, async ({ host }) => {
    const piped = `curl -sS ${flag} --cacert "$1" "$2" | sha256sum`;
    const grown = await growthDuring(host, async () => {
      const { output } = await runShell(piped, host.caFile, `${host.origin}/download/${DOWNLOAD_BYTES}`);
      assert.is(output.split(' ')[0], downloadHash(DOWNLOAD_BYTES), output);
    });
    assert.ok(grown < GROWTH_MB, `${grown} MB more`);
  });

  test(`${line}: a download that is broken off ends at the server, too`, async ({ host }) => {
    const { code } = await curl(host, '--max-filesize', '1000', '-o', '/dev/null', `${host.origin}/download/2000`);
    assert.is(code, 63);
    const slow = await curl(host, '--max-time', '0.3', '-o', '/dev/null', `${host.origin}/slow/1000`);
    assert.is(slow.code, 28, slow.output);
    await host.until('all connections are closed', ({ connections }) => connections === 0);
  });
}

const REQUESTS = 100;
/** Each with where its body goes: an option of curl concerns one URL. */
const many = (host: Host): string[] =>
  Array.from({ length: REQUESTS }, (_, i) => ['-o', '/dev/null', `${host.origin}/ready?${i}`]).flat();

test.run();
