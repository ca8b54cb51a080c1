/** The little that is used of negotiator, which comes without types. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    encodings(available: readonly string[], options?: { readonly preferred: readonly string[] }): string[];
    mediaTypes(available: readonly string[]): string[];
  }
}
