/** What an access token says of its owner, unchecked: for showing only, the server decides. Pure. */
export interface Claims {
  readonly userName: string;
  readonly groups: readonly string[];
  /** Seconds since 1970; undefined where the token does not tell. */
  readonly expiresAt: number | undefined;
}

const NOTHING: Claims = { userName: '', groups: [], expiresAt: undefined };

export function claimsOf(token: string, groupsClaim: string): Claims {
  try {
    const payload = token.split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const { username, sub, exp } = claims;
    const groups = claims[groupsClaim];
    return {
      userName: typeof username === 'string' ? username : typeof sub === 'string' ? sub : '',
      groups: Array.isArray(groups) ? groups.map(String) : typeof groups === 'string' ? [groups] : [],
      expiresAt: typeof exp === 'number' ? exp : undefined,
    };
  } catch {
    // Not a token of this form; the server may know it all the same.
    return NOTHING;
  }
}
