// The plain page: nodes and jobs as tables, until the dashboard takes its place. Texts are set as text, never as HTML.
const ROWS_MAX = 200;
const REFRESH_MS = 5000;

const $ = (id) => document.getElementById(id);

function row(cells) {
  const tr = document.createElement('tr');
  for (const cell of cells) {
    const td = document.createElement('td');
    td.textContent = cell ?? '';
    if (['lost', 'late', 'Failed', 'CheckpointFailed', 'RestoreFailed'].includes(cell)) td.className = 'bad';
    tr.append(td);
  }
  return tr;
}

function show(name, items, cells) {
  $(`${name}-count`.replace('s-', '-')).textContent =
    items.length > ROWS_MAX ? `${items.length}, the last ${ROWS_MAX} shown` : `${items.length}`;
  $(name).replaceChildren(
    ...items
      .slice(-ROWS_MAX)
      .reverse()
      .map((item) => row(cells(item))),
  );
  $(`no-${name}`).hidden = items.length > 0;
}

const local = (time) => (time ? new Date(time).toLocaleString() : '');

async function load(path) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

async function refresh() {
  try {
    const [nodes, jobs] = await Promise.all([load('/api/v1/node'), load('/api/v1/job')]);
    show('nodes', nodes, (n) => [
      n.id,
      n.state,
      n.instance.instanceType,
      n.instance.zone,
      String(n.cores),
      `${n.memoryInMB} MB`,
      local(n.lastHeartbeat),
    ]);
    show('jobs', jobs, (j) => [j.id, j.queueName, j.status, j.nodeOid, String(j.spotProtCount), local(j.updatedAt)]);
    $('state').textContent = `as of ${new Date().toLocaleTimeString()}`;
  } catch (error) {
    $('state').textContent = `cannot read: ${error.message}`;
  }
}

$('server').textContent = location.origin;
refresh();
setInterval(refresh, REFRESH_MS);
