/** Whether an address leads to its own machine. Pure. */

/** `hostname`: as `URL` has it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
