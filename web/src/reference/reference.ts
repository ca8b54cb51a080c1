/** The reference page at /api/: the server's own description, with calls that carry the token of the dashboard's session. */
import 'openapi-explorer';
import { shareWithTabs } from '../api/tab-sharing.ts';
import { currentToken, onTokenChange } from '../api/token.ts';
import viewerStyle from './viewer.css?inline';

const DOCUMENT = '/api/v1/openapi.json';

/** The parts that the viewer is made of, each of which has a style of its own. */
const PARTS = ['openapi-explorer', 'api-request', 'api-response', 'schema-table'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What the first page needs of the description. */
interface Description {
  readonly info: { readonly version: string; readonly license?: { readonly name: string } };
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<(typeof METHODS)[number], Operation>>>>>;
}

interface Operation {
  summary?: string;
  description?: string;
  readonly tags?: readonly string[];
}

interface Explorer extends HTMLElement {
  loadSpec(document: object): Promise<void>;
}

const root = document.querySelector('#root') as HTMLElement;

// One that is signed in gives its session, and each renewal of it.
shareWithTabs();
let isShown = false;
onTokenChange(() => void read());
await read();

async function read(): Promise<void> {
  if (isShown) return;
  const token = currentToken();
  const headers: HeadersInit = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(DOCUMENT, { headers }).catch(() => null);
  // Another token, and another answer to it, may have come meanwhile.
  if (isShown || token !== currentToken()) return;
  isShown = response?.ok === true;
  if (response?.ok) await show((await response.json()) as Description);
  else if (response?.status === 401) say('Sign in to read this page.', '/', 'Sign in');
  else say('The description of the API cannot be read.', '/api/', 'Try again');
}

async function show(description: Description): Promise<void> {
  shorten(description);
  dress();
  const explorer = document.createElement('openapi-explorer') as Explorer;
  for (const [name, value] of Object.entries({
    'server-url': location.origin,
    'hide-server-selection': 'true',
    table: 'true',
  }))
    explorer.setAttribute(name, value);
  // The page's own calls: no other address ever gets the token.
  explorer.addEventListener('request', (event) => {
    const { request } = (event as CustomEvent<{ request: { url: string; headers: Headers } }>).detail;
    const isOwn = new URL(request.url, location.origin).origin === location.origin;
    const token = currentToken();
    if (token !== null && isOwn && !request.headers.has('authorization'))
      request.headers.append('authorization', `Bearer ${token}`);
  });
  const operations = element('span', { slot: 'operations-header', textContent: 'Operations' });
  explorer.append(titleOf(description), groupsOf(description), operations);
  root.replaceChildren(explorer);
  await explorer.loadSpec(description);
  // The viewer has no words of its own for it.
  const search = explorer.shadowRoot?.querySelector<HTMLInputElement>('#nav-bar-search');
  if (!search) return;
  search.placeholder = 'Search operations';
  search.ariaLabel = search.placeholder;
}

/** A name that a menu has room for; what more its summary says stands above the description. */
function shorten({ paths }: Description): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { summary = '', description } = operation;
    const [name = ''] = summary.split(/[:;] /);
    if (name === summary) continue;
    operation.summary = name;
    operation.description = description === undefined ? summary : `${summary}\n\n${description}`;
  }
}

/** Before the first of them is made. */
function dress(): void {
  const look = new CSSStyleSheet();
  look.replaceSync(viewerStyle);
  for (const name of PARTS) {
    const part = customElements.get(name) as { elementStyles?: unknown[] } | undefined;
    part?.elementStyles?.push(look);
  }
}

/** In the place of the viewer's own title. */
function titleOf({ info }: Description): HTMLElement {
  const title = element('div', { slot: 'overview', className: 'overview' });
  const source = element('a', { href: DOCUMENT, textContent: 'OpenAPI document' });
  const facts = element('p', { className: 'facts' });
  facts.append(`Version ${info.version} · ${info.license?.name ?? ''}`);
  // A link carries no token.
  if (currentToken() === null) facts.append(' · ', source);
  title.append(element('h1', { textContent: 'Cairn API' }), facts, ...firstCall());
  return title;
}

/** A call that can be copied as it stands. */
function firstCall(): HTMLElement[] {
  const line = `curl -H "Authorization: Bearer $TOKEN" "${location.origin}/api/v1/job?limit=10"`;
  const example = element('pre', { className: 'example' });
  example.append(element('code', { textContent: line }));
  const about =
    'TOKEN is an access token of the identity provider or a service token. A server without a provider takes the call without one.';
  return [example, element('p', { className: 'facts', textContent: about })];
}

/** All operations by group, each a link to its own place. */
function groupsOf({ tags = [], paths }: Description): HTMLElement {
  const groups = element('div', { slot: 'overview-footer', className: 'groups' });
  for (const { name } of tags) {
    const list = element('ul', {});
    for (const [path, operations] of Object.entries(paths))
      for (const method of METHODS) {
        const operation = operations[method];
        if (operation?.tags?.[0] !== name) continue;
        // As the viewer itself names it in the address.
        const href = `#?route=${method}-${path.replace(/[{}]/g, '-')}`;
        const link = element('a', { href });
        link.append(
          element('span', { className: `method ${method}`, textContent: method.toUpperCase() }),
          element('span', { className: 'path', textContent: path }),
          element('span', { className: 'about', textContent: operation.summary ?? '' }),
        );
        const item = element('li', {});
        item.append(link);
        list.append(item);
      }
    if (list.childElementCount === 0) continue;
    const group = element('section', {});
    group.append(element('h2', { textContent: name }), list);
    groups.append(group);
  }
  return groups;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}

function say(sentence: string, href: string, label: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = label;
  const paragraph = document.createElement('p');
  paragraph.className = 'notice';
  paragraph.append(`${sentence} `, link);
  root.replaceChildren(paragraph);
}
