/**
 * The guides as pages of the dashboard, so that they are at hand where the repository is not: each file of docs/guide and
 * docs/reference becomes `/docs/…html`, in the frame of `document.html`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import type { Plugin } from 'vite';

const FRAME = 'document.html';
const FOLDERS = ['guide', 'reference'] as const;
const TITLES = { guide: 'Guides', reference: 'Reference' } as const;
/** They come first, in the order in which one needs them; the others follow by name. */
const FIRST = ['tutorial', 'install', 'workers', 'jobs', 'dashboard', 'operate', 'troubleshoot'];

interface Document {
  readonly folder: (typeof FOLDERS)[number];
  /** `guide/tutorial`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export function documentPages(root: string): Plugin {
  return {
    name: 'document-pages',
    enforce: 'post',
    generateBundle(_, bundle) {
      const frame = bundle[FRAME];
      if (frame?.type !== 'asset') throw new Error(`there is no ${FRAME}`);
      const documents = documentsIn(root);
      const page = (current: string, title: string, body: string): string =>
        [
          ['<!--title-->', `${title} · Cairn`],
          ['<!--list-->', listOf(documents, current)],
          ['<!--document-->', body],
        ].reduce((text, [place = '', content = '']) => text.replace(place, () => content), String(frame.source));
      delete bundle[FRAME];
      const emit = (name: string, source: string): void => {
        this.emitFile({ type: 'asset', fileName: `docs/${name}.html`, source });
      };
      for (const { name, title, text } of documents) emit(name, page(name, title, htmlOf(name, text, documents)));
      emit('index', page('', 'Documentation', '<h1>Documentation</h1><p>Choose a guide from the list.</p>'));
    },
  };
}

function documentsIn(root: string): readonly Document[] {
  const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.replace(/\.md$/, ''))
      .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
      .map((file) => {
        const text = readFileSync(join(root, folder, `${file}.md`), 'utf8');
        const title = /^# (.+)$/m.exec(text)?.[1];
        if (title === undefined) throw new Error(`docs/${folder}/${file}.md has no title`);
        return { folder, name: `${folder}/${file}`, title, text };
      }),
  );
}

function listOf(documents: readonly Document[], current: string): string {
  return FOLDERS.map((folder) => {
    const links = documents
      .filter((one) => one.folder === folder)
      .map(({ name, title }) => {
        const mark = name === current ? ' aria-current="page"' : '';
        return `<li><a href="/docs/${name}.html"${mark}>${escaped(title)}</a></li>`;
      });
    return `<h2>${TITLES[folder]}</h2><ul>${links.join('')}</ul>`;
  }).join('');
}

function htmlOf(name: string, text: string, documents: readonly Document[]): string {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }: Tokens.Link) {
        const label = this.parser.parseInline(tokens);
        const target = targetOf(name, href, documents);
        return target === undefined ? label : `<a href="${escaped(target)}">${label}</a>`;
      },
    },
  });
  // Wide tables scroll by themselves.
  return (marked.parse(text, { async: false }) as string)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
}

/** Undefined for what is in the repository only: its label stays as text. */
function targetOf(name: string, href: string, documents: readonly Document[]): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = normalize(join(dirname(name), path)).replace(/\.md$/, '');
  if (!documents.some((one) => one.name === target)) return undefined;
  return `/docs/${target}.html${anchor === undefined ? '' : `#${anchor}`}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
