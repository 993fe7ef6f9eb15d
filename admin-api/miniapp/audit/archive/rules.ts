/** Rules about archives: structure, paths and unpacked size. */
import type { RuleTable } from '../finding.ts';

export const ARCHIVE_RULES = {
  archive_unreadable: {
    type: 'error',
    title: 'Not a ZIP archive',
    about:
      'A package is a ZIP archive. An archive without an end of central directory record, a truncated one, or one that two readers read differently is rejected.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_too_large: {
    type: 'error',
    title: 'Archive too large',
    about: 'An archive may have 50 MB, unless the service is configured otherwise.',
    fix: 'Leave out what the app does not need; compress pictures and sound.',
  },
  archive_empty: {
    type: 'error',
    title: 'No files',
    about: 'The package has only folders, or files that packers leave behind.',
    fix: 'Pack the folder that holds index.html and manifest.json.',
  },
  archive_ambiguous_end: {
    type: 'error',
    title: 'Several ends of the archive',
    about: 'Readers search for the end record in different ways. With several, each may read another archive.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_directory_mismatch: {
    type: 'error',
    title: 'Wrong position or size of the directory',
    about: 'The central directory must end at the end record, with the number of file headers that the record has.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_multi_disk: {
    type: 'error',
    title: 'Part of a divided archive',
    about: 'Archives in several parts cannot be uploaded.',
    fix: 'Pack into one file: waypost pkg pack.',
  },
  archive_zip64_mismatch: {
    type: 'error',
    title: 'ZIP64 records that disagree',
    about:
      'ZIP64 repeats sizes and offsets in its own records. If these differ from the others, or are missing, readers read different archives.',
    fix: 'Pack the files again without ZIP64: waypost pkg pack.',
  },
  archive_trailing_data: {
    type: 'error',
    title: 'Data behind the archive',
    about: 'Nothing may follow the end of the archive: no check reads such data, but some readers do.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_prepended_data: {
    type: 'error',
    title: 'Data before the archive',
    about: 'The archive must begin with its first file. Data before it may be a program, or another archive.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_hidden_data: {
    type: 'error',
    title: 'Data that belongs to no file',
    about: 'The files of an archive follow each other. No check reads data between them.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_overlap: {
    type: 'error',
    title: 'Files that share bytes',
    about: 'Archive bombs have files that share the same bytes.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_comment: {
    type: 'notice',
    title: 'Comment in the archive',
    about: 'A reviewer does not see the comments of archives and their files.',
    fix: 'Pack without comments: waypost pkg pack.',
  },
  archive_header_mismatch: {
    type: 'error',
    title: 'Local header and directory disagree',
    about:
      'Each file is described before its data and in the directory. Readers differ in which they use, so both must be equal.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_data_descriptor: {
    type: 'error',
    title: 'Wrong data descriptor',
    about:
      'Sizes that follow the data must equal those of the directory, and the data must be deflated, since nothing else marks its end.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_extra_field: {
    type: 'error',
    title: 'Malformed extra field',
    about:
      'Extra fields of headers must have their declared length, and occur once. The field 0x6c78 is not allowed, since libarchive makes a link of such a file.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_encrypted: {
    type: 'error',
    title: 'Encrypted file',
    about:
      'An encrypted file cannot be reviewed. A password, strong encryption, AES, and an encrypted directory count.',
    fix: 'Pack without a password.',
  },
  archive_flags: {
    type: 'error',
    title: 'Unknown flags',
    about: 'Bits of the general purpose flag that ask for patched data or the like.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_version: {
    type: 'error',
    title: 'Unsupported version of the format',
    about:
      'Stored and deflated files need version 4.5 at most. Some readers refuse versions above 4.6, and others read them.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_method: {
    type: 'error',
    title: 'Unknown compression method',
    about: 'Files may be stored or deflated (methods 0 and 8), which every reader knows.',
    fix: 'Pack with deflate: waypost pkg pack.',
  },
  archive_crc: {
    type: 'error',
    title: 'Wrong checksum',
    about: 'The CRC of a file differs from the one in the archive.',
    fix: 'Pack the files again: the archive is damaged, or was changed after it was made.',
  },
  archive_damaged: {
    type: 'error',
    title: 'Damaged data',
    about: 'The deflated data of a file is invalid, has another unpacked size than declared, or ends too early.',
    fix: 'Pack the files again: the archive is damaged, or was changed after it was made.',
  },
  archive_symlink: {
    type: 'error',
    title: 'Link',
    about: 'A link may lead out of the package. A Unix mode and an extra field count.',
    fix: 'Put the file itself in the place of the link.',
  },
  archive_special_file: {
    type: 'error',
    title: 'Neither file nor folder',
    about: 'Devices, pipes and the like, folders with content, and files whose attributes are those of a folder.',
    fix: 'Leave it out, or pack the files again: waypost pkg pack.',
  },
  archive_name_encoding: {
    type: 'error',
    title: 'Name not in UTF-8',
    about:
      'Names must be UTF-8 and, beyond ASCII, marked as such (bit 11 of the flags); otherwise each system reads another name.',
    fix: 'Pack with waypost pkg pack, or use letters of ASCII in names.',
  },
  archive_name_ambiguous: {
    type: 'error',
    title: 'Two names of one file',
    about: 'A Unicode path field (0x7075) has another name than the header.',
    fix: 'Pack the files again: waypost pkg pack.',
  },
  archive_name_characters: {
    type: 'error',
    title: 'Characters that names cannot have',
    about:
      'Control characters, direction marks, characters without width, and those that Windows and storage cards do not allow: < > : " | ? *',
    fix: 'Rename the file.',
  },
  archive_path_absolute: {
    type: 'error',
    title: 'Absolute path',
    about: 'A path of a package may not begin with a slash.',
    fix: 'Pack from inside the folder: cd FOLDER && zip -r ../app.pkg .',
  },
  archive_path_drive: {
    type: 'error',
    title: 'Path with a drive',
    about: 'A path of a package may not begin with the letter of a drive.',
    fix: 'Pack from inside the folder: waypost pkg pack FOLDER',
  },
  archive_path_traversal: {
    type: 'error',
    title: 'Path that leads out of the package',
    about: 'A path may not have `..` in it.',
    fix: 'Pack from inside the folder: waypost pkg pack FOLDER',
  },
  archive_path_backslash: {
    type: 'error',
    title: 'Backslash in a path',
    about: 'Windows reads it as a separator, other systems as a letter.',
    fix: 'Pack with waypost pkg pack, which writes slashes; or rename the file.',
  },
  archive_path_segment: {
    type: 'error',
    title: 'Empty or dotted part of a path',
    about:
      'A part of a path may not be empty or a single dot, not begin with a blank, and not end with a blank or a dot: systems leave these out, so that two names become one.',
    fix: 'Rename the file or its folder; pack from inside the folder: waypost pkg pack FOLDER',
  },
  archive_name_reserved: {
    type: 'error',
    title: 'Name of a device',
    about: 'CON, PRN, AUX, NUL, COM1 and the like are devices on Windows, with any extension.',
    fix: 'Rename the file.',
  },
  archive_path_too_long: {
    type: 'error',
    title: 'Path too long',
    about: 'A path may have 200 bytes in UTF-8, unless the service is configured otherwise, and each part of it 255.',
    fix: 'Use shorter names, or fewer nested folders.',
  },
  archive_path_too_deep: {
    type: 'error',
    title: 'Folders too deep',
    about: 'A file may be 16 folders deep, unless the service is configured otherwise.',
    fix: 'Use fewer nested folders.',
  },
  archive_duplicate_name: {
    type: 'error',
    title: 'Duplicate name',
    about: 'Of two files with one name, some readers use the first and some the last.',
    fix: 'Leave one of them out.',
  },
  archive_name_collision: {
    type: 'error',
    title: 'Names that differ by case or accents only',
    about: 'Names that differ only in case or in the encoding of accents (NFC) are one file on many systems.',
    fix: 'Rename one of them, and what refers to it.',
  },
  archive_file_folder_conflict: {
    type: 'error',
    title: 'File and folder of one name',
    about: 'A file cannot have the name of a folder with content.',
    fix: 'Rename one of them, and what refers to it.',
  },
  archive_enclosing_folder: {
    type: 'error',
    title: 'Everything in one folder',
    about:
      'index.html, manifest.json and host-sdk.js must be in the root of the package. They are not if the folder was packed instead of its content.',
    fix: 'Pack from inside the folder: cd FOLDER && zip -r ../app.pkg .',
  },
  archive_too_many_entries: {
    type: 'error',
    title: 'Too many files',
    about: 'A package may have 10,000 files and folders, unless the service is configured otherwise.',
    fix: 'Join small files; leave out what the app does not need.',
  },
  archive_file_too_large: {
    type: 'error',
    title: 'File too large',
    about: 'A file may have 50 MB unpacked, unless the service is configured otherwise.',
    fix: 'Divide the file, or load its data through Host.network.fetch.',
  },
  archive_content_too_large: {
    type: 'error',
    title: 'Too much content',
    about:
      'All files together may have 200 MB unpacked, unless the service is configured otherwise. More is not unpacked.',
    fix: 'Leave out what the app does not need, or load data through Host.network.fetch.',
  },
  archive_ratio: {
    type: 'error',
    title: 'Compressed too much',
    about:
      'More than a megabyte that unpacks to over 100 times its size, unless the service is configured otherwise, is an archive bomb or an empty file.',
    fix: 'Make such data when the app runs instead of packing it.',
  },
  archive_nested: {
    type: 'warning',
    review: true,
    title: 'Archive within the package',
    about:
      'Archives and compressed files, recognised by their first or last bytes or their names: their content is not audited, so a person reviews them.',
    fix: 'Put the files into the package as they are; it is compressed anyway.',
  },
  archive_junk: {
    type: 'warning',
    title: 'Files that no app needs',
    about:
      'Files of packers, editors and version control: __MACOSX, .DS_Store, .git, node_modules and the like. A repository may contain more than you want to publish.',
    fix: "Leave it out: waypost pkg pack does, or zip -x '.git/*' '__MACOSX/*' '*.DS_Store'",
  },
  archive_dot_file: {
    type: 'notice',
    title: 'Dot file',
    about: "Files whose name, or whose folder's, begins with a dot are often there by mistake.",
    fix: 'Leave it out if the app does not need it.',
  },
} as const satisfies RuleTable;
