/** The documents that there are: `guide/tutorial` and its title. The bundler puts them in, from the files (`web/documents.ts`). */
declare const DOCUMENT_TITLES: readonly (readonly [name: string, title: string])[];

export const DOCUMENTS = DOCUMENT_TITLES;
