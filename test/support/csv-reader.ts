/**
 * Reads CSV as RFC 4180 writes it. A row ends in CRLF, and only outside of quotes: a bare CR or LF ends none, so that a
 * cell that is not quoted where it must be shows.
 */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? quoted(text, at + 1) : plain(text, at);
    row.push(cell);
    at = end;
    if (text[at] === ',') at++;
    else if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else throw new Error(`a row of CSV goes on behind a cell at ${at}: ${JSON.stringify(text.slice(at, at + 20))}`);
    if (at === text.length && row.length > 0) throw new Error('the CSV ends behind a comma');
  }
  return rows;
}

interface Cell {
  readonly cell: string;
  readonly end: number;
}

function plain(text: string, start: number): Cell {
  const length = text.slice(start).search(/[,"\r\n]|$/);
  return { cell: text.slice(start, start + length), end: start + length };
}

function quoted(text: string, start: number): Cell {
  let cell = '';
  for (let at = start; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error('a quoted cell of CSV does not end');
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}
