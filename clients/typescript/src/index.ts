export { type Cairn, type CairnOptions, createCairn } from './client.ts';
export { CairnError } from './connection.ts';
export type { CairnEvent, EventOptions } from './events.ts';
export type { ListItem, ListPath, ListQuery } from './pages.ts';
export type { components, operations, paths } from './schema.ts';
export type { AppendOptions, LogSource } from './uploads.ts';
