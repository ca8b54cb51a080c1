/** Manual pages and completions of the command line, where the distributions look for them. */
import { gzipSync } from 'node:zlib';
import { SCRIPTS } from '../../cli/completion/scripts.ts';
import { manPages, type PageRelease } from '../../cli/pages/man-pages.ts';
import { GROUPS } from '../../cli/specs/commands.ts';
import type { FileEntry } from '../../src/base/packages/entry.ts';

export function commandLineFiles(release: PageRelease): FileEntry[] {
  const pages = [...manPages(GROUPS, release)].map(([name, text]) =>
    file(`/usr/share/man/man1/${name}.gz`, gzipSync(text, { level: 9 })),
  );
  return [
    ...pages,
    file('/usr/share/bash-completion/completions/cairn', Buffer.from(SCRIPTS.bash)),
    // Debian's zsh reads the first folder, the others' the second.
    file('/usr/share/zsh/vendor-completions/_cairn', Buffer.from(SCRIPTS.zsh)),
    file('/usr/share/zsh/site-functions/_cairn', Buffer.from(SCRIPTS.zsh)),
    file('/usr/share/fish/vendor_completions.d/cairn.fish', Buffer.from(SCRIPTS.fish)),
  ];
}

function file(path: string, bytes: Uint8Array): FileEntry {
  return { kind: 'file', path, mode: 0o644, bytes };
}
