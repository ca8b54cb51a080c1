/** The reference page at /api/: the server's own description, with calls that carry the token of the dashboard's session. */
import 'openapi-explorer';
import { shareWithTabs } from '../api/tab-sharing.ts';
import { currentToken, onTokenChange } from '../api/token.ts';

const DOCUMENT = '/api/v1/openapi.json';

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
  if (response?.ok) await show((await response.json()) as object);
  else if (response?.status === 401) say('Sign in to read this page.', '/', 'Sign in');
  else say('The description of the API cannot be read.', '/api/', 'Try again');
}

async function show(description: object): Promise<void> {
  const explorer = document.createElement('openapi-explorer') as Explorer;
  for (const [name, value] of Object.entries({
    'server-url': location.origin,
    'hide-server-selection': 'true',
    'explorer-location': location.origin,
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
  root.replaceChildren(explorer);
  await explorer.loadSpec(description);
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
