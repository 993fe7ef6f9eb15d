/** Parsers of other binary formats: packages, and the protocol of dnstap. */
import { crc32, deflateRawSync } from 'node:zlib';
import { DEFAULT_LIMITS } from '../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchiveBytes } from '../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { Findings } from '../../../admin-api/miniapp/audit/findings.ts';
import { controlFrame, readControl } from '../../../core/nameserver/dnstap/frame-stream.ts';
import type { Target } from '../target.ts';

/** A minimal archive of one file. */
function archive(name: string, content: string, isDeflated: boolean): Buffer {
  const plain = Buffer.from(content);
  const bytes = isDeflated ? deflateRawSync(plain) : plain;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(isDeflated ? 8 : 0, 4);
  common.writeUInt16LE(33, 8);
  common.writeUInt32LE(crc32(plain), 10);
  common.writeUInt32LE(bytes.length, 14);
  common.writeUInt32LE(plain.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), bytes]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00', 'latin1'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

export const BINARY_TARGETS: readonly Target[] = [
  {
    name: 'package-archive',
    seeds: [archive('index.html', '<p>text</p>', false), archive('app.js', 'let a = 1;'.repeat(20), true)],
    words: [
      'PK\x01\x02',
      'PK\x03\x04',
      'PK\x05\x06',
      'PK\x06\x06',
      'PK\x06\x07',
      'PK\x07\x08',
      '../',
      '\\',
      '__MACOSX/',
    ],
    async run(input) {
      const findings = new Findings();
      const content = await openArchiveBytes(input, DEFAULT_LIMITS, findings);
      if (content === undefined) {
        if (findings.summary().errors === 0) throw new Error('refused without a finding');
        return;
      }
      for (const { path, size, read } of content.files.values()) {
        if (/(^|\/)\.\.(\/|$)|^\/|\\/.test(path)) throw new Error(`path ${path}`);
        const bytes = await read();
        if (findings.summary().errors === 0 && bytes?.length !== size) throw new Error(`${path} is not readable`);
      }
      await content.close();
    },
  },
  {
    name: 'frame-streams',
    seeds: [controlFrame(1), controlFrame(4), Buffer.concat([controlFrame(1), controlFrame(5)])],
    run(input) {
      for (let rest = input; ; ) {
        let end: number;
        try {
          const control = readControl(rest);
          if (control === null) return;
          end = control.end;
        } catch (error) {
          if (!/^the program at the socket does not/.test((error as Error).message)) throw error;
          return;
        }
        if (end <= 0 || end > rest.length) throw new Error('the end is not behind the frame');
        rest = rest.subarray(end);
      }
    },
  },
];
