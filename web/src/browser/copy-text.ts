/** Puts a text on the clipboard. Over plain http the browser has no interface for it, and is told to copy what a listener gives it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const give = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', give, { once: true });
  try {
    if (!document.execCommand('copy')) throw new Error('The browser does not allow copying');
  } finally {
    document.removeEventListener('copy', give);
  }
}
