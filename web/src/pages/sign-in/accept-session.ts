/** Takes up a session: the server is asked once with its token, so that a wrong one is refused here and not on every page. */
import { askJson } from '../../api/request.ts';
import { type Session, signIn } from '../../api/token.ts';

export async function acceptSession(session: Session): Promise<void> {
  const headers = { authorization: `bearer ${session.accessToken}` };
  const { name } = await askJson<{ readonly name: string }>('/api/v1/security/me', { headers });
  signIn({ ...session, userName: session.userName || name });
}
