/** `waypost backup export-key` and `import-key`: the escrow of the secret key. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { createPrivateFile, readPrivateFile } from '../../../core/base/private-file.ts';
import { writeFileSync } from '../../../core/base/write-file.ts';
import { exportKey, importKey, markKeyExported } from '../../../core/cluster/backup/key-escrow.ts';
import { loadConfig, secretKeyFile } from '../../../core/config/index.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, print } from '../base/io.ts';
import { askPassword, passwordFromStdin } from '../base/password.ts';

const MIN_PASSPHRASE = 12;

interface ExportOptions {
  readonly recipient?: string[];
  readonly passphraseStdin?: boolean;
  readonly out?: string;
  readonly kept?: boolean;
}

export function addKeyCommands(backup: Command, { io, action }: CommandContext): void {
  backup
    .command('export-key')
    .option('--recipient <recipient...>', 'recipients of age ("age1…") that can decrypt the key')
    .option('--passphrase-stdin', 'read a passphrase from standard input instead of asking for it')
    .option('--out <file>', 'where to write the encrypted key (default: standard output)')
    .option('--kept', 'write nothing: a copy of the key file is kept elsewhere already')
    .description('write the secret key, encrypted with age, to keep it apart from the backups')
    .addHelpText(
      'after',
      `
Without the secret key the private keys in a backup are lost, and a backup with backup.encryption = "key" cannot be read at all.
The command notes in the data folder that the key was exported, for "waypost doctor". Export it again after it was replaced.

Examples:
  $ waypost backup export-key --recipient age1… --out secret.key.age
  $ waypost backup export-key --out secret.key.age              asks for a passphrase
`,
    )
    .action(
      action<ExportOptions>(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const keyFile = secretKeyFile(config);
        const text = readPrivateFile(keyFile);
        if (text === undefined) throw new CliError('no_key', `${keyFile} does not exist.`);
        let shown: string | undefined;
        if (options.kept !== true) {
          const protection =
            options.recipient === undefined
              ? { passphrase: await newPassphrase(io, options.passphraseStdin === true) }
              : { recipients: options.recipient };
          const armored = await exportKey(text, protection);
          if (options.out === undefined) shown = armored;
          else writeFileSync(options.out, armored, { mode: 0o600, flag: 'wx' });
        }
        markKeyExported(config);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, file: options.out ?? null, key: shown }));
        else if (shown !== undefined) io.stdout.write(shown);
        else if (options.out !== undefined)
          print(io.stdout, `${options.out} has the secret key, encrypted: keep it apart from the backups`);
        else if (options.kept) print(io.stdout, 'noted that a copy of the secret key is kept elsewhere');
        return true;
      }),
    );

  backup
    .command('import-key')
    .argument('<file>', 'a file from "waypost backup export-key"')
    .option('--identity <file>', 'file with an identity of age ("AGE-SECRET-KEY-…")')
    .option('--passphrase-stdin', 'read the passphrase from standard input instead of asking for it')
    .description('decrypt an exported secret key into secrets.key_file, which must not exist yet')
    .addHelpText('after', '\nExample:\n  $ waypost backup import-key secret.key.age\n')
    .action(
      action<{ identity?: string; passphraseStdin?: boolean }>(async (options, [file]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const keyFile = secretKeyFile(config);
        if (existsSync(keyFile))
          throw new CliError('file_exists', `${keyFile} already exists; move it away if it is not the key you need.`);
        const armored = readFileSync(file, 'utf8');
        const identities =
          options.identity === undefined
            ? []
            : readFileSync(options.identity, 'utf8')
                .split('\n')
                .filter((line) => line.startsWith('AGE-SECRET-KEY-'))
                .map((line) => line.trim());
        const passphrase =
          identities.length > 0
            ? undefined
            : await askedPassphrase(io, options.passphraseStdin === true, 'Passphrase: ');
        let text: string;
        try {
          text = await importKey(armored, { identities, passphrase });
        } catch (error) {
          throw new CliError('cannot_decrypt', `Cannot decrypt ${file}: ${(error as Error).message}.`);
        }
        makeFolder(dirname(keyFile));
        createPrivateFile(keyFile, text);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, file: keyFile }));
        else print(io.stdout, `${keyFile} has the secret key`);
        return true;
      }),
    );
}

const askedPassphrase = (io: CliIo, fromStdin: boolean, question: string): Promise<string> =>
  fromStdin ? passwordFromStdin(io) : askPassword(io, question, 'use --passphrase-stdin, or --recipient or --identity');

/** Throws CliError `weak_passphrase`. */
async function newPassphrase(io: CliIo, fromStdin: boolean): Promise<string> {
  const passphrase = await askedPassphrase(io, fromStdin, 'Passphrase for the exported key: ');
  if (passphrase.length < MIN_PASSPHRASE)
    throw new CliError('weak_passphrase', `The passphrase must have at least ${MIN_PASSPHRASE} characters.`);
  if (!fromStdin && (await askedPassphrase(io, false, 'The same again: ')) !== passphrase)
    throw new CliError('other_passphrase', 'The passphrases differ.');
  return passphrase;
}
