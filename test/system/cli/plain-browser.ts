/** As much of a browser as an identity provider's sign-in needs: cookies, redirects, and forms that are sent as they stand. */

const PAGES_MAX = 20;
const PAGE_MS = 30_000;

/** The last page of a visit. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/**
 * Opens the address and fills in each form with `fields`, until there is a page without one. A link of this text is followed
 * in place of the form, where the page has one.
 */
export async function visit(address: string, fields: Readonly<Record<string, string>>, link?: string): Promise<Page> {
  const cookies = new Map<string, string>();
  let next: { url: string; body?: URLSearchParams } = { url: address };
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { url, body } = next;
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      signal: AbortSignal.timeout(PAGE_MS),
      ...(body ? { body } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    const target = location ?? (link === undefined ? undefined : linkIn(text, link)) ?? undefined;
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    if (target !== undefined) next = { url: new URL(target, url).href };
    else if (action === undefined) return { url, status: response.status, text };
    else next = { url: new URL(action, url).href, body: formIn(text, fields) };
  }
  throw new Error(`${address} leads through more than ${PAGES_MAX} pages`);
}

function linkIn(page: string, text: string): string | undefined {
  return new RegExp(`<a[^>]* href="([^"]+)"[^>]*>[^<]*${text}`).exec(page)?.[1];
}

function formIn(page: string, fields: Readonly<Record<string, string>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) form.set(name, fields[name] ?? / value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return form;
}
