// Before the first paint, so that a chosen theme does not flash the other one. A file of its own: inline scripts are forbidden.
try {
  const theme = localStorage.getItem('cairn.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's preference holds then.
}
