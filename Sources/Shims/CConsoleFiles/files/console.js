// The console's script. Pages work without it: it keeps live sections fresh, updates previews while a form is
// edited, and prevents a form from being submitted twice.

const interval = 2000;

// ---- Changing a part of the page without losing focus, scroll position or open details ----

const kept = new Set(['open', 'value', 'checked']);

function sameKind(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id ?? '') === (fresh.id ?? '');
}

function syncAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !(name === 'open' && old.nodeName === 'DETAILS')) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !kept.has(name)) old.removeAttribute(name);
  }
}

export function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE || old.isEqualNode(fresh)) return;
  syncAttributes(old, fresh);
  if (old === document.activeElement && old.matches('input, select, textarea')) return;
  morphChildren(old, fresh);
}

function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, index) => {
    const present = old.childNodes[index];
    if (!present) old.append(document.importNode(node, true));
    else if (sameKind(present, node)) morph(present, node);
    else present.replaceWith(document.importNode(node, true));
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

function parse(text) {
  return new DOMParser().parseFromString(`<body>${text}`, 'text/html').body;
}

// ---- Announcements ----

function announce(text) {
  const place = document.getElementById('announcer');
  if (place && text) place.textContent = text;
}

// The texts that are worth announcing: states, not figures.
function announcements(part) {
  return new Map([...part.querySelectorAll('[data-announce]')].map((e) => [e.dataset.announce, e.textContent.trim()]));
}

function showConnection(kind) {
  const place = document.getElementById('connection');
  if (!place) return;
  place.hidden = !kind;
  place.textContent = kind ? place.dataset[kind] : '';
}

// ---- Live sections ----

let hasEnded = false;
let failures = 0;

async function fetchFragment(address, options = {}) {
  const answer = await fetch(address, {
    ...options, credentials: 'same-origin', redirect: 'error', cache: 'no-store',
    headers: { 'X-Console-Fragment': '1' },
  });
  if (answer.status === 401) {
    hasEnded = true;
    showConnection('ended');
  }
  if (answer.status >= 500) throw new Error(`${address}: ${answer.status}`);
  return answer.ok ? { text: await answer.text(), isFinal: answer.headers.get('X-Console-Final') !== null } : null;
}

async function refresh(section) {
  const answer = await fetchFragment(section.dataset.refresh);
  if (!answer) return;
  const before = announcements(section);
  morphChildren(section, parse(answer.text));
  if (answer.isFinal) delete section.dataset.refresh;
  for (const [name, text] of announcements(section)) {
    if (!before.has(name) || before.get(name) === text) continue;
    announce(text);
    // The notice about the last action describes the former state.
    for (const notice of document.querySelectorAll('[data-passing]')) notice.remove();
  }
}

async function refreshAll() {
  if (!document.hidden && !hasEnded) {
    try {
      for (const section of document.querySelectorAll('[data-refresh]')) await refresh(section);
      if (failures > 0 && !hasEnded) showConnection(null);
      failures = 0;
    } catch {
      failures += 1;
      if (failures > 1) showConnection('lost');
    }
  }
  // After failures, requests become rarer: at most one in half a minute.
  setTimeout(refreshAll, Math.min(interval * 2 ** failures, 30000));
}

if (document.querySelector('[data-refresh]')) setTimeout(refreshAll, interval);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && failures > 0) failures = 0;
});

// ---- Previews: data-preview="ADDRESS" on a form, data-preview-target="ID" ----

for (const form of document.querySelectorAll('form[data-preview]')) {
  let timer;
  let isAsking = false;
  let hasChanged = false;
  // One request at a time: a count can take long, and the last one must be that of the present input.
  const update = async () => {
    hasChanged = isAsking;
    if (isAsking) return;
    isAsking = true;
    const target = document.getElementById(form.dataset.previewTarget);
    try {
      const data = new FormData(form);
      for (const [name, value] of [...data]) if (value instanceof File) data.delete(name);
      const fields = new URLSearchParams(data);
      // A form with files can contain more than one without files may.
      const isLarge = form.enctype === 'multipart/form-data' && fields.toString().length > 200000;
      const answer = await fetchFragment(form.dataset.preview, { method: 'POST', body: isLarge ? data : fields });
      if (answer) showConnection(null);
      if (answer && target) morphChildren(target, parse(answer.text));
    } catch {
      showConnection('lost');
      hasChanged = false;
      timer = setTimeout(update, 2 * interval);
    }
    isAsking = false;
    if (hasChanged) update();
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(update, 300);
  };
  if (form.dataset.previewFirst !== undefined) update();
  form.addEventListener('input', later);
  form.addEventListener('change', later);
}

// ---- Parts that take long to compute: data-load="ADDRESS" ----

async function load(part) {
  try {
    const answer = await fetchFragment(part.dataset.load);
    if (!answer) return;
    morphChildren(part, parse(answer.text));
    showConnection(null);
  } catch {
    showConnection('lost');
    setTimeout(() => load(part), 2 * interval);
  }
}

for (const part of document.querySelectorAll('[data-load]')) load(part);

// ---- Forms ----

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method === 'get') return;
  if (form.dataset.submitted) {
    event.preventDefault();
    return;
  }
  form.dataset.submitted = 'true';
  event.submitter?.setAttribute('aria-busy', 'true');
});

// A page that comes back from the browser's cache can be submitted again: the form's key makes that harmless.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-submitted]')) delete form.dataset.submitted;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
});

// A page that the browser loads again after going back has another key. Its forms that must have one effect keep the
// first one, so that submitting them again does nothing twice.
const once = document.querySelectorAll('form[data-once] > [name="_key"]');
if (once.length > 0) {
  const key = history.state?.key ?? once[0].value;
  history.replaceState({ ...history.state, key }, '');
  for (const field of once) field.value = key;
}

// Links in a part with data-save="ID" submit that form, which then leads to the link's page: no input is lost.
document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-save] a[href]');
  const form = link && document.getElementById(link.closest('[data-save]').dataset.save);
  if (!form || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const field = Object.assign(document.createElement('input'), { type: 'hidden', name: '_go' });
  field.value = link.pathname + link.search;
  form.append(field);
  form.requestSubmit();
});

// ---- A form with data-unsaved: its input is lost if the page is left otherwise than by submitting it ----

const unsaved = document.querySelector('form[data-unsaved]');

function askBeforeLeaving(event) {
  if (!unsaved.dataset.submitted) event.preventDefault();
}

// Fields whose names begin with an underscore are not part of what is saved.
unsaved?.addEventListener('input', (event) => {
  if (!event.target.name?.startsWith('_')) addEventListener('beforeunload', askBeforeLeaving);
});

// ---- Inserting a text at the cursor: data-insert="TEXT" and data-into="ID" on a button ----

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-insert]');
  const field = button && document.getElementById(button.dataset.into);
  if (!field) return;
  field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, 'end');
  field.focus();
  field.dispatchEvent(new Event('input', { bubbles: true }));
});

// ---- Copying: data-copy="ID" ----

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  const text = document.getElementById(button.dataset.copy)?.textContent ?? '';
  await navigator.clipboard?.writeText(text);
  announce(button.dataset.copied ?? '');
});

// ---- The time zone of this browser, for the times on the next page ----

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `pushmta-zone=${encodeURIComponent(zone)}; Path=/; SameSite=Lax; Max-Age=31536000${secure}`;
}

// Buttons that only work with script are shown by it.
for (const part of document.querySelectorAll('[data-script]')) part.hidden = false;
