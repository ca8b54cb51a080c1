/** Variables that were left blank, as lines of a file of settings are. */

/** One of ours counts as not set: a folder or an address of that name would be the current folder, or none at all. */
export function dropEmptyVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) if (value === '' && name.startsWith('CAIRN_')) delete env[name];
}
