// @ts-check
/**
 * The operators' page: what is open, live; one request at a time; keys for everything.
 *
 * @typedef {import("./api.js").Shown} Shown
 * @typedef {import("./api.js").Me} Me
 */

import { Refused, answer, call, listen } from "./api.js";
import { Detail } from "./detail.js";
import { byId } from "./element.js";
import { headline } from "./fields.js";
import { openRow, settledRow, tick } from "./rows.js";
import { ending } from "./words.js";

const HISTORY = 20;
const STILL_HERE_MS = 20_000;
const AWAY_MS = 55_000;

const page = {
  work: byId("work", HTMLElement),
  signIn: byId("sign-in", HTMLElement),
  open: byId("open", HTMLElement),
  settled: byId("settled", HTMLElement),
  request: byId("request", HTMLElement),
  announce: byId("announce", HTMLElement),
};

/** @type {Me | null} */
let me = null;
/** @type {Map<string, Shown>} */
const open = new Map();
/** @type {Map<string, Shown>} */
const settled = new Map();
/** How many settled ones are shown: the last ones, and earlier ones that somebody has asked for. */
let mostSettled = HISTORY;
/** @type {Detail | null} */
let detail = null;
/** What was begun stays while its request is open, whatever is looked at meanwhile. @type {Map<string, Detail>} */
const begun = new Map();
/** @type {EventSource | null} */
let events = null;
/** How far the server's clock is ahead of ours, in milliseconds. */
let ahead = 0;
let actedAt = 0;
/** Where the chosen request was among the open ones, once it has settled: the next one is there now. @type {number | null} */
let settledAt = null;

// --- signing in ---

async function start() {
  try {
    me = /** @type {Me} */ (await call("GET", "me"));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return signedOut();
    setTimeout(start, 2_000);
    return;
  }
  ahead = Date.parse(me.server_time) - Date.now();
  byId("user", HTMLElement).textContent = me.user;
  byId("roles", HTMLElement).textContent = me.roles.join(", ");
  byId("who", HTMLElement).hidden = page.work.hidden = false;
  page.signIn.hidden = true;
  events?.close();
  events = listen({ sync, changed, presence, state });
}

function signedOut() {
  events?.close();
  meanwhile = null;
  choose(null);
  open.clear();
  settled.clear();
  begun.clear();
  announce("");
  draw();
  byId("who", HTMLElement).hidden = page.work.hidden = true;
  page.signIn.hidden = false;
  byId("token", HTMLInputElement).focus();
}

byId("sign-in-form", HTMLFormElement).addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = byId("token", HTMLInputElement);
  const problem = byId("sign-in-error", HTMLElement);
  if (token.readOnly) return; // it is on its way, and is worth nothing after that
  token.readOnly = true;
  problem.hidden = true;
  try {
    await call("POST", "session", { body: { token: token.value.trim() } });
    token.value = "";
    await start();
    problem.textContent = "This browser keeps no session: allow cookies for this page.";
    problem.hidden = page.signIn.hidden;
  } catch (error) {
    problem.textContent = error instanceof Refused ? `That did not work: ${error.message}.` : "The server cannot be reached.";
    problem.hidden = false;
    token.select();
  } finally {
    token.readOnly = false;
  }
});

byId("sign-out", HTMLButtonElement).addEventListener("click", async () => {
  await call("DELETE", "session").catch(() => undefined);
  await start();
});

// --- what happens ---

/**
 * What happens while the page asks how things stand: told after that, or a list from before would undo it.
 *
 * @type {[string, Shown][] | null}
 */
let meanwhile = null;

async function sync() {
  /** @type {[string, Shown][]} */
  const later = (meanwhile = []);
  const asked = [call("GET", "requests"), call("GET", `history?limit=${HISTORY}`)];
  const found = await Promise.all(asked).catch((/** @type {Error} */ error) => error);
  if (meanwhile !== later) return; // it asks again meanwhile, or somebody has signed out
  meanwhile = null;
  if (!(found instanceof Error)) standing(found[0].requests, found[1]);
  else if (found instanceof Refused && found.status === 401) return signedOut();
  else setTimeout(sync, 2_000);
  for (const [name, request] of later) changed(name, request);
}

/**
 * How things stand.
 *
 * @param {Shown[]} now
 * @param {{ requests: Shown[], more: boolean }} before
 */
function standing(now, before) {
  const was = place();
  open.clear();
  settled.clear();
  mostSettled = HISTORY;
  for (const request of now) open.set(request.id, request);
  for (const request of before.requests.reverse()) settled.set(request.id, request);
  byId("more", HTMLElement).hidden = !before.more;
  draw();
  for (const id of begun.keys()) show(open.get(id));
  for (const id of begun.keys()) if (!open.has(id)) begun.delete(id);
  const shown = detail && (open.get(detail.request.id) ?? settled.get(detail.request.id));
  if (shown?.outcome && was !== null) settledAt = was;
  if (shown) show(shown);
  else if (detail) choose(null);
}

/** Show a request as it now is, where it is looked at or was begun. @param {Shown | undefined} request */
function show(request) {
  if (!request) return;
  const known = detail?.request.id === request.id ? detail : begun.get(request.id);
  known?.show(request);
  if (request.outcome) begun.delete(request.id);
  else if (known) begun.set(request.id, known);
}

/** Where the chosen request is among the open ones. */
function place() {
  const at = [...open.keys()].indexOf(detail?.request.id ?? "");
  return at < 0 ? null : at;
}

/** @param {string} name @param {Shown} request */
function changed(name, request) {
  if (meanwhile) {
    meanwhile.push([name, request]);
    return;
  }
  if (request.outcome) {
    if (detail?.request.id === request.id) settledAt = place() ?? settledAt;
    open.delete(request.id);
    settled.set(request.id, request);
    const [oldest] = settled.keys();
    if (settled.size > mostSettled) {
      settled.delete(oldest);
      byId("more", HTMLElement).hidden = false;
    }
  } else {
    settled.delete(request.id); // it is put to others now
    open.set(request.id, request);
  }
  if (name === "request.opened") announce(`New: ${headline(request.question)}`);
  const isShown = detail?.request.id === request.id;
  if (request.outcome && (isShown || request.outcome.by !== me?.user)) announce(`${ending(request, me?.user ?? "")}: ${headline(request.question)}`);
  const had = isShown && detail?.touched;
  show(request);
  if (isShown) {
    tick(page.request, Date.now() + ahead);
    if (request.outcome && had) byId("detail", HTMLElement).focus();
  }
  drawSoon();
}

/** @param {Record<string, number>} watching */
function presence(watching) {
  if (!me) return;
  me.watching = watching;
  const most = Math.max(0, ...Object.values(watching));
  byId("status-text", HTMLElement).textContent = most > 1 ? `Live, ${most} watching` : "Live";
}

/** @param {"live" | "reconnecting" | "ended"} now */
function state(now) {
  document.body.dataset.state = now;
  if (now === "live") presence(me?.watching ?? {});
  else byId("status-text", HTMLElement).textContent = "Reconnecting";
  if (now === "ended") setTimeout(start, 1_000);
}

/** @param {string} words */
function announce(words) {
  page.announce.textContent = words;
}

// --- the lists ---

let drawing = 0;

/** Many changes at once are drawn once. */
function drawSoon() {
  drawing ||= requestAnimationFrame(draw);
}

function draw() {
  cancelAnimationFrame(drawing);
  drawing = 0;
  const user = me?.user ?? "";
  fill(page.open, [...open.values()], (request) => openRow(request, user));
  fill(page.settled, [...settled.values()].reverse(), (request) => settledRow(request, user));
  byId("nothing", HTMLElement).hidden = open.size > 0;
  byId("settled-title", HTMLElement).hidden = settled.size === 0;
  byId("count", HTMLElement).textContent = String(open.size);
  byId("count", HTMLElement).hidden = open.size === 0;
  document.title = open.size ? `(${open.size}) Console` : "Console";
  mark();
  tick(document.body, Date.now() + ahead);
}

/** @type {WeakMap<Element, Shown>} */
const drawn = new WeakMap();

/**
 * The rows of a list; one that is there stays, and so does the focus.
 *
 * @param {HTMLElement} list
 * @param {Shown[]} requests
 * @param {(request: Shown) => HTMLElement} row
 */
function fill(list, requests, row) {
  const there = new Map([...list.children].map((item) => [item.firstElementChild?.getAttribute("data-id"), item]));
  const focused = document.activeElement?.getAttribute("data-id");
  const items = requests.map((request) => {
    const known = there.get(request.id);
    if (known && drawn.get(known) === request) return known;
    const item = known ?? document.createElement("li");
    const fresh = row(request);
    const old = item.firstElementChild;
    // A row that is there is drawn where it is: somebody may be about to press it.
    if (old) {
      old.className = fresh.className;
      old.replaceChildren(...fresh.childNodes);
    } else item.append(fresh);
    drawn.set(item, request);
    return item;
  });
  const same = items.length === list.children.length && items.every((item, at) => item === list.children[at]);
  if (same) return;
  list.replaceChildren(...items);
  const again = items.find((item) => item.firstElementChild?.getAttribute("data-id") === focused)?.firstElementChild;
  if (again instanceof HTMLElement && document.activeElement !== again) again.focus({ preventScroll: true });
}

function mark() {
  for (const row of page.work.querySelectorAll(".row")) {
    const chosen = row.getAttribute("data-id") === detail?.request.id;
    row.toggleAttribute("data-chosen", chosen);
    if (chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

page.work.addEventListener("click", ({ target }) => {
  const row = target instanceof Element ? target.closest(".row") : null;
  const id = row?.getAttribute("data-id") ?? "";
  const request = open.get(id) ?? settled.get(id);
  if (request) choose(request);
});

byId("more", HTMLButtonElement).addEventListener("click", async () => {
  const oldest = settled.keys().next().value;
  const before = await call("GET", `history?limit=${HISTORY}&before=${oldest}`).catch(() => null);
  if (page.work.hidden) return;
  if (!before) return announce("The earlier ones did not arrive.");
  mostSettled += HISTORY;
  const later = [...settled];
  settled.clear();
  for (const request of before.requests.reverse()) settled.set(request.id, request);
  for (const [id, request] of later) settled.set(id, request);
  byId("more", HTMLElement).hidden = !before.more;
  draw();
});

// --- one request ---

/** @param {Shown | null} request */
function choose(request) {
  settledAt = null;
  if (request && request.id === detail?.request.id) return;
  letGo();
  detail = request ? (begun.get(request.id) ?? detailOf(request)) : null;
  if (request) show(request);
  page.request.replaceChildren(...(detail ? [detail.element] : []));
  byId("unchosen", HTMLElement).hidden = detail !== null;
  document.body.dataset.view = detail ? "request" : "list";
  mark();
  tick(page.request, Date.now() + ahead);
}

/** @param {Shown} request */
function detailOf(request) {
  const { id } = request;
  return new Detail(request, {
    me: () => me?.user ?? "",
    answer: (wire) => answer(`requests/${id}/answer`, wire),
    reject: (reason) => answer(`requests/${id}/reject`, reason ? { reason } : {}),
    take: () => void take(id),
    release: () => void call("POST", `requests/${id}/release`).catch(() => undefined),
  });
}

/** The request that is being taken. */
let taking = "";

/** @param {string} id */
async function take(id) {
  actedAt = Date.now();
  const request = open.get(id);
  if (!request || request.taken || taking === id) return;
  taking = id;
  await call("POST", `requests/${id}/take`).catch(() => undefined);
  taking = "";
}

function letGo() {
  if (detail && !detail.request.outcome && detail.request.taken?.by === me?.user) {
    void call("POST", `requests/${detail.request.id}/release`).catch(() => undefined);
  }
}

// A sign of life while somebody is at it; whoever has left lets it go.
setInterval(() => {
  const mine = detail && !detail.request.outcome && detail.request.taken?.by === me?.user;
  if (mine && detail && Date.now() - actedAt < AWAY_MS) void call("POST", `requests/${detail.request.id}/take`).catch(() => undefined);
}, STILL_HERE_MS);
for (const sign of ["keydown", "pointerdown", "input"]) addEventListener(sign, () => (actedAt = Date.now()), { passive: true });
setInterval(() => tick(document.body, Date.now() + ahead), 250);

// --- keys ---

/** @param {number} by */
function step(by) {
  if (drawing) draw(); // a key may come before the frame: the rows are those of before
  const rows = /** @type {HTMLElement[]} */ ([...page.work.querySelectorAll(".row")]);
  if (rows.length === 0) return;
  const chosen = rows.findIndex((row) => row.dataset.id === detail?.request.id);
  const at = settledAt !== null && open.size > 0 ? Math.min(settledAt, open.size - 1) - (by > 0 ? 1 : 0) : chosen;
  const next = rows[Math.min(rows.length - 1, Math.max(0, at === -1 && by < 0 ? rows.length - 1 : at + by))];
  next.click();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function leave() {
  const id = detail?.request.id;
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  if (document.body.dataset.view === "request" && matchMedia("(max-width: 880px)").matches) choose(null);
  const row = page.work.querySelector(`.row[data-id="${id}"]`);
  if (row instanceof HTMLElement) row.focus();
}

const KEYS = /** @type {Record<string, () => void>} */ ({
  j: () => step(1),
  k: () => step(-1),
  a: () => detail?.affirm(),
  r: () => detail?.refuse(),
  Escape: leave,
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || page.work.hidden) return;
  const typing = event.target instanceof Element && event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  const act = KEYS[event.key];
  if (!act || (typing && event.key !== "Escape")) return;
  if (event.repeat && ["a", "r"].includes(event.key)) return; // twice gives it: a key that is held is pressed once
  event.preventDefault();
  act();
});

byId("back", HTMLButtonElement).addEventListener("click", () => choose(null));

void start();
