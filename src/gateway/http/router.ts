/** Finds the route of a method and a path. Made from the table; knows nothing of uWS. */
import { CodedError } from '../../base/errors.ts';
import type { Params, Route } from './route.ts';

export type Match =
  | { readonly type: 'route'; readonly route: Route; readonly params: Params }
  | { readonly type: 'method'; readonly allow: readonly string[] }
  | { readonly type: 'none' };

interface TreeNode {
  readonly fixed: Map<string, TreeNode>;
  one: { readonly name: string; readonly node: TreeNode } | null;
  rest: { readonly name: string; readonly routes: Map<string, Route> } | null;
  readonly routes: Map<string, Route>;
}

export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) if (!route.followsLogName) this.#add(route);
  }

  /** Throws `malformed` where a percent-encoding is bad. */
  match(method: string, path: string): Match {
    const segments = path.split('/').slice(1).map(decodeSegment);
    const params: Record<string, string> = {};
    const routes = this.#find(this.#root, segments, 0, params);
    if (!routes || routes.size === 0) return { type: 'none' };
    const route = routes.get(method === 'HEAD' ? 'GET' : method);
    return route ? { type: 'route', route, params } : { type: 'method', allow: allowOf(routes) };
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      const rest = /^\{(\w+)\.\.\.\}$/.exec(segment)?.[1];
      if (rest !== undefined) {
        node.rest ??= { name: rest, routes: new Map() };
        node.rest.routes.set(route.method, route);
        return;
      }
      const one = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (one !== undefined) {
        node.one ??= { name: one, node: newNode() };
        node = node.one.node;
      } else {
        const next = node.fixed.get(segment) ?? newNode();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    node.routes.set(route.method, route);
  }

  #find(
    node: TreeNode,
    segments: readonly string[],
    at: number,
    params: Record<string, string>,
  ): Map<string, Route> | undefined {
    const segment = segments[at];
    if (segment === undefined) return node.routes.size > 0 ? node.routes : undefined;
    const fixed = node.fixed.get(segment);
    const found = fixed && this.#find(fixed, segments, at + 1, params);
    if (found) return found;
    if (node.one && segment !== '') {
      const below = this.#find(node.one.node, segments, at + 1, params);
      if (below) {
        params[node.one.name] = segment;
        return below;
      }
    }
    if (!node.rest) return undefined;
    params[node.rest.name] = segments.slice(at).join('/');
    return node.rest.routes;
  }
}

function newNode(): TreeNode {
  return { fixed: new Map(), one: null, rest: null, routes: new Map() };
}

function allowOf(routes: ReadonlyMap<string, Route>): string[] {
  const methods = [...routes.keys()];
  return methods.includes('GET') ? [...methods, 'HEAD'].sort() : methods.sort();
}

/** An encoded slash stays a slash of the name, not of the path; only a whole path (`rest`) may contain one. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new CodedError('malformed', 'the path contains an invalid percent-encoding');
  }
}
