/**
 * The guides as pages of the dashboard, so that they are at hand where the repository is not: each file of docs/guide and
 * docs/reference becomes `/docs/…html`, in the frame of `document.html`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import type { Plugin } from 'vite';
import { PURPOSES } from './src/documents/purposes.ts';

const FRAME = 'document.html';
const FOLDERS = ['guide', 'reference'] as const;
const TITLES = { guide: 'Guides', reference: 'Reference' } as const;
/** They come first, in the order in which one needs them; the others follow by name. */
const FIRST = ['tutorial', 'first-saved-job', 'install', 'workers', 'jobs', 'dashboard', 'operate', 'troubleshoot'];
/** Below that a list of what is on a page would only take room. */
const HEADINGS_MIN = 4;
/** From here on a table needs more than the width at which lines of prose are read well. */
const COLUMNS_MIN = 4;
/** Characters from which a cell is a sentence. */
const PROSE_MIN = 50;

interface Document {
  readonly folder: (typeof FOLDERS)[number];
  /** `guide/tutorial`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export function documentPages(root: string): Plugin {
  const documents = documentsIn(root);
  return {
    name: 'document-pages',
    enforce: 'post',
    // For the palette.
    config: () => ({
      define: { DOCUMENT_TITLES: JSON.stringify(documents.map(({ name, title }) => [name, title])) },
    }),
    generateBundle(_, bundle) {
      const frame = bundle[FRAME];
      if (frame?.type !== 'asset') throw new Error(`there is no ${FRAME}`);
      const page = (current: string, title: string, body: string): string =>
        [
          ['<!--title-->', `${escaped(title)} · Cairn`],
          ['<!--list-->', listOf(documents, current)],
          ['<!--document-->', body],
        ].reduce((text, [place = '', content = '']) => text.replace(place, () => content), String(frame.source));
      delete bundle[FRAME];
      const emit = (name: string, source: string): void => {
        this.emitFile({ type: 'asset', fileName: `docs/${name}.html`, source });
      };
      for (const { name, title, text } of documents) emit(name, page(name, title, htmlOf(name, text, documents)));
      emit('index', page('', 'Documentation', indexOf(documents)));
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

/** Each document with what it is for. */
function indexOf(documents: readonly Document[]): string {
  const row = (href: string, title: string, purpose: string): string =>
    `<li><a href="${href}">${escaped(title)}</a><p>${escaped(purpose)}</p></li>`;
  const api = row('/api/', 'API reference', 'Every call with its parameters, bodies and answers, to read and to try.');
  const groups = FOLDERS.map((folder) => {
    const rows = documents
      .filter((one) => one.folder === folder)
      .map(({ name, title }) => row(`/docs/${name}.html`, title, PURPOSES[name] ?? ''));
    return `<h2>${TITLES[folder]}</h2><ul>${rows.join('')}${folder === 'reference' ? api : ''}</ul>`;
  });
  return `<h1>Documentation</h1><div class="text index">${groups.join('')}</div>`;
}

export function htmlOf(name: string, text: string, documents: readonly Document[]): string {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      // `<name>` in a sentence is a placeholder, and the reader is to see it; a comment is for those who write.
      html: ({ text: raw }: Tokens.HTML | Tokens.Tag) => (raw.startsWith('<!--') ? '' : escaped(raw)),
      link({ href, text: written, tokens }: Tokens.Link) {
        const label = this.parser.parseInline(tokens);
        const target = isExample(href, written) ? undefined : targetOf(name, href, documents);
        return target === undefined ? label : `<a href="${escaped(target)}">${label}</a>`;
      },
    },
  });
  // Wide tables scroll by themselves.
  const html = (marked.parse(text, { async: false }) as string)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replace(/<td>([\s\S]*?)<\/td>/g, (cell, content: string) =>
      content.replace(/<[^>]*>/g, '').length < PROSE_MIN ? cell : cell.replace('<td>', '<td class="prose">'),
    );
  return withContents(html);
}

/** The title, what is on the page, and then the rest: on a wide page the list stands beside the text. */
function withContents(html: string): string {
  const [title = ''] = /<h1[\s\S]*?<\/h1>/.exec(html) ?? [];
  const headings = [...html.matchAll(/<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g)];
  const links = headings.map(
    ([, id, label = '']) => `<li><a href="#${id}">${label.replace(/<\/?a[^>]*>/g, '')}</a></li>`,
  );
  const contents =
    links.length < HEADINGS_MIN
      ? ''
      : `<nav class="contents" aria-label="On this page"><details class="fold"><summary>On this page</summary></details>` +
        `<ul>${links.join('')}</ul></nav>`;
  const columns = Math.max(
    ...(html.match(/<thead>[\s\S]*?<\/thead>/g) ?? []).map((head) => head.split('<th>').length - 1),
  );
  const kind = columns < COLUMNS_MIN ? 'text' : 'text text-wide';
  return `${title}${contents}<div class="${kind}">${html.replace(title, '')}</div>`;
}

/** An address that is written out is a value to type, of a machine that the reader has or has not: none leads to a document. */
function isExample(href: string, written: string): boolean {
  return (
    href === written || /^https?:\/\/(localhost|0\.0\.0\.0|127\.|\[|([\w-]+\.)*example(\.\w+)?([:/]|$))/.test(href)
  );
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
