/** Rules about archives: their structure, the names in them, and what they unpack to. */
import type { RuleTable } from '../finding.ts';

export const ARCHIVE_RULES = {
  archive_unreadable: {
    type: 'error',
    title: 'Not a ZIP archive',
    about:
      'A package is a ZIP archive. What has no end of central directory record, or is cut off, cannot be read; nor can what two readers see in two ways.',
    fix: 'Pack the files anew: waypost pkg pack.',
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
    about: 'There is nothing in the package but folders, or what packers leave behind.',
    fix: 'Pack the folder that holds index.html and manifest.json.',
  },
  archive_ambiguous_end: {
    type: 'error',
    title: 'Several ends of the archive',
    about:
      'Readers search for the end record in different ways. With more than one to be found, each may see another archive.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_directory_mismatch: {
    type: 'error',
    title: 'Directory not where or what it says',
    about:
      'The central directory has to end where the end record stands, and to have as many file headers as that says.',
    fix: 'Pack the files anew: waypost pkg pack.',
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
      'ZIP64 says sizes and offsets anew, in records of its own. Where these disagree with the others, or are missing, readers see different archives.',
    fix: 'Pack the files anew without ZIP64: waypost pkg pack.',
  },
  archive_trailing_data: {
    type: 'error',
    title: 'Data behind the archive',
    about: 'Nothing may follow the end of the archive: what is there is seen by no check, and by some readers.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_prepended_data: {
    type: 'error',
    title: 'Data before the archive',
    about: 'The archive has to begin with its first file. What precedes it may be a program, or another archive.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_hidden_data: {
    type: 'error',
    title: 'Data that belongs to no file',
    about: 'Files are one behind the other in an archive. What is between them is seen by no check.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_overlap: {
    type: 'error',
    title: 'Files that share bytes',
    about: 'Two files of an archive that are in the same bytes are how archive bombs are made.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_comment: {
    type: 'notice',
    title: 'Comment in the archive',
    about: 'Comments of archives and of their files are shown to nobody.',
    fix: 'Pack without comments: waypost pkg pack.',
  },
  archive_header_mismatch: {
    type: 'error',
    title: 'Local header and directory disagree',
    about:
      'Each file is described twice: before its data and in the directory. Some readers believe the one and some the other, so both have to say the same.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_data_descriptor: {
    type: 'error',
    title: 'Wrong data descriptor',
    about:
      'Where sizes follow the data they have to be those of the directory, and the data has to be deflated, since nothing else tells where it ends.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_extra_field: {
    type: 'error',
    title: 'Malformed extra field',
    about:
      'Extra fields of headers have to be of the length that they say, and to come once; and none may be the one that libarchive alone knows, which can make a link of a file (0x6c78).',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_encrypted: {
    type: 'error',
    title: 'Encrypted file',
    about:
      'Nobody could look at an encrypted file. By a password, by strong encryption or AES, or an encrypted directory.',
    fix: 'Pack without a password.',
  },
  archive_flags: {
    type: 'error',
    title: 'Flags that are not known',
    about: 'Bits of the general purpose flag that ask for patched data or the like.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_version: {
    type: 'error',
    title: 'Version of the format that not all readers know',
    about:
      'Files that are stored or deflated need version 4.5 at most; what says to need more than 4.6 is refused by some readers and read by others.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_method: {
    type: 'error',
    title: 'Compression method that is not known',
    about: 'Files may be stored or deflated (methods 0 and 8), which every reader knows.',
    fix: 'Pack with deflate: waypost pkg pack.',
  },
  archive_crc: {
    type: 'error',
    title: 'Wrong checksum',
    about: 'The CRC of a file is not the one that the archive says.',
    fix: 'Pack the files anew: the archive is damaged, or was changed after it was made.',
  },
  archive_damaged: {
    type: 'error',
    title: 'Damaged data',
    about:
      'The deflated data of a file is not valid, or unpacks to more or less than it says, or ends before its place does.',
    fix: 'Pack the files anew: the archive is damaged, or was changed after it was made.',
  },
  archive_symlink: {
    type: 'error',
    title: 'Link',
    about: 'A link may lead out of the package. By its Unix mode or by an extra field.',
    fix: 'Put the file itself in the place of the link.',
  },
  archive_special_file: {
    type: 'error',
    title: 'Neither file nor folder',
    about:
      'Devices, pipes and the like, folders with content, and what is a file by its name and a folder by its attributes.',
    fix: 'Leave it out, or pack the files anew: waypost pkg pack.',
  },
  archive_name_encoding: {
    type: 'error',
    title: 'Name not in UTF-8',
    about:
      'Names have to be in UTF-8 and, beyond ASCII, marked as such (bit 11 of the flags); otherwise each system reads another name.',
    fix: 'Pack with waypost pkg pack, or use letters of ASCII in names.',
  },
  archive_name_ambiguous: {
    type: 'error',
    title: 'Two names of one file',
    about: 'A Unicode path field (0x7075) that says another name than the header.',
    fix: 'Pack the files anew: waypost pkg pack.',
  },
  archive_name_characters: {
    type: 'error',
    title: 'Characters that names cannot have',
    about:
      'Controls, marks that turn the direction of writing, what has no width, and what Windows and storage cards do not allow: < > : " | ? *',
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
    about: 'Windows takes it for a separator, others for a letter.',
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
    about: 'CON, PRN, AUX, NUL, COM1 and the like are devices on Windows, with whatever extension.',
    fix: 'Rename the file.',
  },
  archive_path_too_long: {
    type: 'error',
    title: 'Path too long',
    about: 'A path may have 200 bytes in UTF-8, unless the service is configured otherwise, and each part of it 255.',
    fix: 'Use shorter names, or fewer folders within one another.',
  },
  archive_path_too_deep: {
    type: 'error',
    title: 'Folders too deep',
    about: 'A file may be 16 folders deep, unless the service is configured otherwise.',
    fix: 'Use fewer folders within one another.',
  },
  archive_duplicate_name: {
    type: 'error',
    title: 'Name that comes twice',
    about: 'Of two files with one name some readers take the first and some the last.',
    fix: 'Leave one of them out.',
  },
  archive_name_collision: {
    type: 'error',
    title: 'Names that differ by case or accents only',
    about:
      'Names that are equal once case is left aside (Unicode) and accents are put together in one way (NFC) are one file on many systems.',
    fix: 'Rename one of them, and what refers to it.',
  },
  archive_file_folder_conflict: {
    type: 'error',
    title: 'File and folder of one name',
    about: 'A file may not have the name of a folder that something is in.',
    fix: 'Rename one of them, and what refers to it.',
  },
  archive_enclosing_folder: {
    type: 'error',
    title: 'Everything in one folder',
    about:
      'index.html, manifest.json and host-sdk.js have to stand in the root of the package. They do not where the folder was packed and not what is in it.',
    fix: 'Pack from inside the folder: cd FOLDER && zip -r ../app.pkg .',
  },
  archive_too_many_entries: {
    type: 'error',
    title: 'Too many files',
    about: 'A package may have 10,000 files and folders, unless the service is configured otherwise.',
    fix: 'Put small files together; leave out what the app does not need.',
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
      'All files together may have 200 MB unpacked, unless the service is configured otherwise. What is beyond that is not unpacked.',
    fix: 'Leave out what the app does not need, or load data through Host.network.fetch.',
  },
  archive_ratio: {
    type: 'error',
    title: 'Unpacks to far more than it is',
    about:
      'More than a megabyte that is over 100 times as large unpacked as packed, unless the service is configured otherwise, is an archive bomb, or a file of nothing.',
    fix: 'Make such data when the app runs in place of packing it.',
  },
  archive_nested: {
    type: 'warning',
    review: true,
    title: 'Archive within the package',
    about:
      'Archives and compressed files, told by how they begin or end or by their names: what is in them is not audited, so a person looks at them.',
    fix: 'Put the files into the package as they are; it is compressed anyway.',
  },
  archive_junk: {
    type: 'warning',
    title: 'Files that no app needs',
    about:
      'What packers, editors and version control leave behind: __MACOSX, .DS_Store, .git, node_modules and the like. A repository may tell more than is meant to be published.',
    fix: "Leave it out: waypost pkg pack does, or zip -x '.git/*' '__MACOSX/*' '*.DS_Store'",
  },
  archive_dot_file: {
    type: 'notice',
    title: 'Dot file',
    about: "Files whose name, or whose folder's, begins with a dot are often there by mistake.",
    fix: 'Leave it out if the app does not need it.',
  },
} as const satisfies RuleTable;
