/**
 * The static facts of a running node in little memory. A fleet's nodes have most of their JSON in common: what is a node's
 * own is cut out, and the rest is kept once for all nodes that have it.
 *
 *   JSON     {"id":"n-7","ips":["10.0.0.7"],"hostName":"n-7.local","cloud":"aws", … }
 *   shared   {"id":  ,"ips":  ,"hostName":  ,"cloud":"aws", … }
 *   own      "•" ◊ ["10.0.0.7"] ◊ "•.local"                       • is the id, ◊ the end of a value
 *
 * Both are control characters, which JSON does not have; a text that has one is kept whole. The same text comes out as went in, whatever it is.
 */

export interface PackedFacts {
  /** The texts between what is the node's own; none where all of it is kept as its own. */
  readonly sharedFacts: readonly string[];
  readonly ownFacts: string;
}

const END = '\u0000';
const ID = '\u0001';

/** What differs from node to node, in the order in which `factsOf` writes it. */
const OWN_KEYS = [
  '"id":',
  '"ips":',
  '"hostName":',
  '"memoryInMB":',
  '"instanceId":',
  '"createTime":',
  '"pricePerHour":',
  '"saveMBps":',
  '"clockDifferenceMs":',
];

/** Some hundreds are usual: kinds of machines times zones times versions of the agent. */
const SHARED_MAX = 4_096;

const WHOLE: readonly string[] = [];

/** What many have in common, each once. Overflow policy: all are forgotten; a node that has one keeps it. */
export class SharedFacts {
  readonly #max: number;
  readonly #known = new Map<string, readonly string[]>();

  constructor(max = SHARED_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#known.size;
  }

  /** The parts, in the memory that they have already where they are known. */
  share(parts: readonly string[]): readonly string[] {
    const text = parts.join(END);
    const known = this.#known.get(text);
    if (known) return known;
    if (this.#known.size >= this.#max) this.#known.clear();
    this.#known.set(text, parts);
    return parts;
  }
}

const sharedFacts = new SharedFacts();

export function packFacts(id: string, factsJson: string, known = sharedFacts): PackedFacts {
  if (id === '' || factsJson.includes(END) || factsJson.includes(ID))
    return { sharedFacts: WHOLE, ownFacts: factsJson };
  const shared: string[] = [];
  const own: string[] = [];
  let from = 0;
  for (const key of OWN_KEYS) {
    const at = factsJson.indexOf(key, from);
    if (at < 0) continue;
    const start = at + key.length;
    const end = endOfValue(factsJson, start);
    shared.push(factsJson.slice(from, start));
    own.push(factsJson.slice(start, end));
    from = end;
  }
  // A single part is not joined: it would keep the text that it is cut from in memory.
  if (own.length < 2) return { sharedFacts: WHOLE, ownFacts: factsJson };
  shared.push(factsJson.slice(from));
  return { sharedFacts: known.share(shared), ownFacts: own.join(END).split(id).join(ID) };
}

/** The JSON that was packed for this id. */
export function factsJsonOf({ id, sharedFacts: shared, ownFacts }: PackedFacts & { readonly id: string }): string {
  if (shared.length === 0) return ownFacts;
  const own = ownFacts.split(ID).join(id).split(END);
  let json = shared[0] as string;
  for (let i = 0; i < own.length; i++) json += `${own[i] as string}${shared[i + 1] as string}`;
  return json;
}

/** Behind the value that begins there; within it where a list has a bracket in a text, which costs room only. */
function endOfValue(json: string, start: number): number {
  const first = json[start];
  if (first === '[') return behind(json.indexOf(']', start), json);
  if (first === '"') {
    let end = json.indexOf('"', start + 1);
    while (end > 0 && json[end - 1] === '\\') end = json.indexOf('"', end + 1);
    return behind(end, json);
  }
  let end = start;
  while (end < json.length && json[end] !== ',' && json[end] !== '}') end++;
  return end;
}

function behind(at: number, json: string): number {
  return at < 0 ? json.length : at + 1;
}
