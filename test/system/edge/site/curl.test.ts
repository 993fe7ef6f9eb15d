/** A site through the whole daemon, as curl sees it: uploads, downloads, parts, codings. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Run, runProgram, runShell, whyNotPrograms } from '../../../support/programs.ts';
import { bodyFile, DOWNLOAD_BYTES, UPLOAD_BYTES } from '../clients/bodies.ts';
import { leaksIn } from './leaks.ts';
import { ORIGIN_ADDRESS, type SiteRig, withSites } from './rig.ts';
import { bytesOf, ETAG, hashOf, type SiteOrigin, STYLE, startSiteOrigin } from './site-origin.ts';

const SITE = 'site.test';
/** What a body that passes through may add to the daemon's memory, megabytes, whatever its size. */
const GROWTH_MB = 96;
const SAMPLE_MS = 50;

const test = suite('curl, a site');
const why = whyNotPrograms('curl');

const VERSIONS = [
  { flag: '--http1.1', line: 'HTTP/1.1' },
  { flag: '--http2', line: 'HTTP/2' },
] as const;

interface World {
  readonly rig: SiteRig;
  readonly origin: SiteOrigin;
  /** `path`: of the site. */
  curl(path: string, ...args: readonly string[]): Promise<Run>;
  readonly urlArgs: readonly string[];
}

async function withWorld(flag: string, use: (world: World) => Promise<void>): Promise<void> {
  const origin = await startSiteOrigin();
  try {
    await withSites({ WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' }, async (rig) => {
      await rig.addSite(SITE, { host: ORIGIN_ADDRESS, port: origin.port, protocol: 'http' });
      const urlArgs = ['-sS', flag, '--cacert', rig.root.file, '--connect-to', `${SITE}:443:127.0.0.1:${rig.https}`];
      const curl = async (path: string, ...args: readonly string[]): Promise<Run> => {
        const run = await runProgram('curl', [...urlArgs, '--max-time', '50', ...args, `https://${SITE}${path}`]);
        assert.equal(leaksIn(run.output, { hosts: [ORIGIN_ADDRESS], ports: [origin.port] }), []);
        return run;
      };
      await use({ rig, origin, curl, urlArgs });
    });
  } finally {
    origin.close();
  }
}

/** Most that the daemon's memory grew by while `work` ran, megabytes. */
async function growthDuring({ memory }: SiteRig, work: () => Promise<void>): Promise<number> {
  const before = memory();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memory());
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

const sha = (output: string): string => output.trim().split(/\s/)[0];

async function small({ curl, origin }: World, line: string): Promise<void> {
  const got = await curl('/style.css', '-i', '--compressed');
  assert.is(got.code, 0, got.output);
  assert.match(got.output, new RegExp(`^${line} 200`));
  assert.match(got.output, /^content-encoding: (?:br|gzip|zstd)\r$/m);
  assert.match(got.output, /^vary: .*accept-encoding/im);
  assert.ok(got.output.endsWith(STYLE));
  const again = await curl('/style.css', '-i', '--compressed');
  assert.match(again.output, /^cache-status: waypost; ?hit/m);
  assert.ok(again.output.endsWith(STYLE));
  const plain = await curl('/style.css', '-i');
  assert.not.match(plain.output, /^content-encoding/m);
  assert.ok(plain.output.endsWith(STYLE));
  const head = await curl('/style.css', '-I');
  assert.match(head.output, new RegExp(`^${line} 200[\\s\\S]*^content-length: ${STYLE.length}\\r$`, 'm'));
  const same = await curl('/style.css', '-i', '-H', `If-None-Match: ${ETAG}`);
  assert.match(same.output, new RegExp(`^${line} 304`));
  assert.equal(origin.questions, ['GET /style.css'], 'once for all of them');
  const missing = await curl('/nothing', '-i');
  assert.match(missing.output, new RegExp(`^${line} 404[\\s\\S]*missing$`));
}

async function parts({ curl, origin }: World): Promise<void> {
  for (const name of ['kept', 'unkept']) {
    const whole = await curl(`/${name}/100000`, '-o', '/dev/null', '-w', '%{http_code} %{size_download}');
    assert.is(whole.output, '200 100000');
    const rest = await curl(`/${name}/100000`, '-r', '99900-', '-w', '%{http_code}');
    assert.is(rest.output, `${bytesOf(99_900, 100_000).toString('utf8')}206`, name);
    const resumed = await curl(`/${name}/100000`, '-C', '99990', '-i');
    assert.match(resumed.output, /^content-range: bytes 99990-99999\/100000\r$/im);
    const changed = await curl(
      `/${name}/100000`,
      '-r',
      '5-',
      '-H',
      'If-Range: "other"',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
    );
    assert.is(changed.output, '200', 'what has changed comes whole');
  }
  const times = (name: string): number => origin.questions.filter((text) => text.startsWith(`GET /${name}/`)).length;
  assert.equal([times('kept'), times('unkept')], [1, 4]);
  const beyond = await curl('/kept/100000', '-r', '100000-', '-i');
  assert.match(beyond.output, / 416[\s\S]*^content-range: bytes \*\/100000\r$/im);
}

async function uploads({ rig, curl, urlArgs }: World, line: string): Promise<void> {
  const waited = bodyFile(100_000);
  const args = ['-v', '-H', 'Expect: 100-continue', '--expect100-timeout', '30', '--data-binary', `@${waited.path}`];
  const run = await curl('/sink', ...args);
  assert.is(run.code, 0, run.output);
  assert.match(run.output, new RegExp(`^< ${line} 100 [\\s\\S]*^< ${line} 200 `, 'm'));
  assert.ok(run.output.includes(waited.hash), run.output);
  const body = bodyFile(UPLOAD_BYTES);
  const expected = { bytes: body.bytes, hash: body.hash };
  const grown = await growthDuring(rig, async () => {
    const { code, output } = await curl('/sink', '-T', body.path);
    assert.is(code, 0, output);
    assert.equal(JSON.parse(output), expected);
  });
  assert.ok(grown < GROWTH_MB, `${grown} MB more`);
  const piped = `body="$1"; shift; cat "$body" | curl -T - "$@"`;
  const { output } = await runShell(piped, body.path, ...urlArgs, `https://${SITE}/sink`);
  assert.equal(JSON.parse(output), expected);
}

async function downloads({ rig, urlArgs }: World): Promise<void> {
  const grown = await growthDuring(rig, async () => {
    const { output } = await runShell('curl "$@" | sha256sum', ...urlArgs, `https://${SITE}/unkept/${DOWNLOAD_BYTES}`);
    assert.is(sha(output), hashOf(DOWNLOAD_BYTES), output);
  });
  process.stdout.write(`a download of ${DOWNLOAD_BYTES} bytes: ${grown.toFixed(0)} MB more at most\n`);
  assert.ok(grown < GROWTH_MB, `${grown} MB more`);
}

if (why !== null) test.skip(`curl: ${why}`, () => {});
else
  for (const { flag, line } of VERSIONS)
    test(`${line}: codings, parts, uploads, downloads with flat memory`, () =>
      withWorld(flag, async (world) => {
        await small(world, line);
        await parts(world);
        await uploads(world, line);
        await downloads(world);
      }));

test.run();
