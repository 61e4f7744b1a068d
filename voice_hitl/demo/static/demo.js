// @ts-check
/** The demo: one call, its conversation, its questions, and what the model read. */

/** @typedef {import("../../static/voice-hitl.js").Call} LiveCall */

import { Card } from "./cards.js";
import { byId, element as h } from "./element.js";
import { PICK_TIME, Picker } from "./picker.js";
import { Ribbon } from "./ribbon.js";
import { isExact } from "./values.js";
// @ts-ignore  // served beside this file
import { Call } from "./voice-hitl.js";

const KEYS = "123456789*0#";
const BARS = 9;
const ONE_LINE = 72;
const STATES = { connecting: "Connecting", live: "Live", reconnecting: "Reconnecting", ended: "Call ended" };
const LONG_MS = 600;
const READINGS = /** @type {Record<string, string>} */ ({ "Match True": "yes", "Match False": "no", NoMatch: "no answer" });
const ENDINGS = /** @type {Record<string, string>} */ ({
  us: "The agent hung up.",
  lost: "The connection was lost.",
  limit: "The call reached its limit.",
});

const callButton = byId("call", HTMLButtonElement);
const callLabel = byId("call-label", HTMLElement);
const problem = byId("problem", HTMLElement);
const lines = byId("lines", HTMLElement);
const cardList = byId("cards", HTMLElement);
const reads = byId("reads", HTMLOListElement);
const level = byId("level", HTMLElement);
const doing = byId("doing", HTMLElement);
const clock = byId("clock", HTMLElement);
const keypad = byId("keypad", HTMLElement);
const keypadButton = byId("keypad-button", HTMLButtonElement);
const ribbon = new Ribbon(byId("ribbon", HTMLCanvasElement));

/** @type {LiveCall | null} */
let live = null;
let since = 0;
/** @type {Map<string, Card>} */
const cards = new Map();
/** @type {Set<Picker>} */
const pickers = new Set();
/** @type {Map<string, HTMLElement>} */
const items = new Map();
/** The calls without a result yet. @type {Map<string, HTMLElement>} */
const waiting = new Map();

level.append(...Array.from({ length: BARS }, () => h("i")));
callButton.addEventListener("click", place);
byId("hang-up", HTMLButtonElement).addEventListener("click", () => live?.hangUp());
keypadButton.addEventListener("click", () => showKeypad(keypad.hidden === true));
addEventListener("keydown", (event) => event.key === "Escape" && showKeypad(false));
for (const key of KEYS) {
  const button = h("button", { type: "button", "aria-label": key === "*" ? "star" : key === "#" ? "hash" : key }, [key]);
  button.addEventListener("click", () => live?.digit(key).catch(() => {}));
  keypad.append(button);
}

ribbon.example();
addEventListener("resize", () => document.body.dataset.state === "idle" && ribbon.example());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => live ?? ribbon.example());

async function place() {
  clear();
  become("connecting");
  const placed = (live = /** @type {LiveCall} */ (new Call("offer")));
  placed.on("state", (/** @type {any} */ { state, reason }) => become(state, reason));
  placed.on("transcript", hear);
  placed.on("tool.called", called);
  placed.on("tool.result", readByModel);
  placed.on("heard", readAsAnswer);
  for (const type of ["request.opened", "request.changed", "request.settled"]) placed.on(type, () => showCards(placed));
  placed.tools.register(PICK_TIME, pickTime).catch(() => {}); // a model that takes none asks for the time aloud
  try {
    await placed.connect();
    since = performance.now();
    requestAnimationFrame(frame);
  } catch (error) {
    if (placed !== live) return;
    document.body.dataset.state = "idle";
    say(byId("status-text", HTMLElement), "Ready");
    problem.textContent = error instanceof Error ? error.message : String(error);
    problem.hidden = false;
    callButton.disabled = false;
    callLabel.textContent = "Try again";
    callButton.focus({ preventScroll: true });
  }
}

function clear() {
  problem.hidden = true;
  for (const list of [lines, cardList, reads]) list.replaceChildren();
  byId("read-title", HTMLElement).hidden = true;
  cards.clear();
  pickers.clear();
  items.clear();
  waiting.clear();
  ribbon.clear();
  clock.textContent = "";
}

/**
 * @param {keyof typeof STATES} state
 * @param {string} [reason]
 */
function become(state, reason) {
  const was = document.body.dataset.state;
  document.body.dataset.state = state;
  say(byId("status-text", HTMLElement), STATES[state]);
  callButton.disabled = state === "connecting";
  callLabel.textContent = state === "connecting" ? "Calling" : "Call again";
  // How that went on which was being said when the connection broke is not told again.
  if (was === "reconnecting") for (const line of lines.querySelectorAll(".partial")) line.classList.remove("partial");
  if (state !== "ended") return;
  showKeypad(false);
  if (live) showCards(live);
  if (reason && ENDINGS[reason]) [problem.textContent, problem.hidden] = [ENDINGS[reason], false];
  if (was !== "connecting") callButton.focus({ preventScroll: true });
}

/** @param {{ role: string, text: string, final: boolean, item: string }} line */
function hear({ role, text, final, item }) {
  const key = `${role} ${item}`;
  let line = items.get(key);
  if (!line) {
    if (!text.trim()) return;
    line = h("div", { class: `line ${role} partial` }, [h("span", { class: "who" }, [role === "user" ? "You" : "Agent"]), h("p")]);
    items.set(key, line);
    lines.append(line);
  }
  const words = /** @type {HTMLElement} */ (line.querySelector("p"));
  words.textContent = final ? text : words.textContent + text;
  line.classList.toggle("partial", !final);
  if (final && !text.trim()) line.remove();
  // On a small screen the newest words are below a question that waits: they must not scroll it away.
  if (!asking()) line.scrollIntoView({ block: "nearest" });
}

/** Whether a question waits for the person. */
function asking() {
  return [...cards.values(), ...pickers].some(({ open }) => open);
}

/** @param {LiveCall} placed */
function showCards(placed) {
  for (const [key, request] of placed.requests) {
    // The card of a call whose question was still being written becomes the card of its question.
    const early = `call ${request.call}`;
    const card = cards.get(key) ?? cards.get(early);
    if (!card) open(key, new Card(request, give(placed, request.pending_id)));
    else {
      cards.delete(early);
      cards.set(key, card);
      const opens = !card.open;
      card.give = give(placed, request.pending_id);
      card.show(request);
      if (opens && card.open) announce(card);
    }
  }
  for (const [key, card] of cards) {
    if (placed.requests.has(key) && !(placed.ended && card.request.status !== "complete")) continue;
    card.show({ ...card.request, status: "complete", end: card.request.end ?? "withdrawn" });
  }
  if (!asking()) say(byId("announce", HTMLElement), ""); // the same question once more is news again
}

/**
 * @param {string} key
 * @param {Card} card
 */
function open(key, card) {
  cards.set(key, card);
  cardList.prepend(card.element);
  if (card.open) announce(card);
}

/**
 * The model calls the page's own tool.
 *
 * @param {{ day: string, party_size?: number }} offer
 * @param {import("../../static/voice-hitl.js").ToolUse} use
 */
function pickTime(offer, use) {
  const picker = new Picker(offer, use);
  pickers.add(picker);
  cardList.prepend(picker.element);
  announce(picker);
  return picker.chosen;
}

/** @param {Card | Picker} card */
function announce(card) {
  say(byId("announce", HTMLElement), `The agent asks: ${card.words}`);
  // The keyboard goes where the decision is, unless somebody is typing.
  if (!document.activeElement?.matches("input, textarea, select")) card.element.focus({ preventScroll: true });
  const tall = card.element.offsetHeight > innerHeight - 200;
  card.element.scrollIntoView({ block: tall ? "start" : "nearest" });
}

/**
 * @param {LiveCall} placed
 * @param {string} [pendingId]
 */
function give(placed, pendingId = "") {
  return {
    answer: (/** @type {any} */ wire) => placed.answer(pendingId, wire),
    decline: () => placed.decline(pendingId),
  };
}

/**
 * A tool that nobody is asked about here, and that takes its time: somebody else is being asked.
 *
 * @param {{ call: string, tool: string }} called
 */
function called({ call, tool }) {
  const shown = h("li", { class: "read waits" }, [
    h("div", { class: "read-head" }, [h("code", {}, [tool]), h("span", {}, ["waiting"])]),
    h("pre", {}, ["A supervisor is being asked."]),
  ]);
  waiting.set(call, shown);
  setTimeout(() => {
    if (waiting.get(call) !== shown || asking()) return;
    byId("read-title", HTMLElement).hidden = false;
    reads.append(shown);
  }, LONG_MS);
}

/** @param {{ call: string, tool: string, text: string, outcome: string }} result */
function readByModel({ call, tool, text, outcome }) {
  waiting.get(call)?.remove();
  waiting.delete(call);
  const card = [...cards.values()].find(({ request }) => request.call === call);
  const { confirmed } = Object(json(text));
  if (card?.request.question?.kind === "confirm" && typeof confirmed === "boolean") card.told({ action: "answer", value: confirmed });
  byId("read-title", HTMLElement).hidden = false;
  reads.append(
    h("li", { class: `read ${outcome === "served" ? "good" : "bad"}` }, [
      h("div", { class: "read-head" }, [h("code", {}, [tool]), h("span", {}, [outcome])]),
      h("pre", {}, [pretty(text)]),
    ]),
  );
}

/** @param {{ text: string, reading: string, why: string, via: string }} heard */
function readAsAnswer({ text, reading, why, via }) {
  const said = via === "key" ? `Key ${text}` : `“${text}”`;
  lines.append(h("div", { class: "line heard" }, [h("span", { class: "who" }, ["Read as"]), h("p", {}, [`${said}: ${READINGS[reading] ?? reading} (${why})`])]));
}

/** @param {string} text */
function pretty(text) {
  const value = json(text);
  if (typeof value !== "object" || !isExact(value)) return text;
  const spread = JSON.stringify(value, null, 1);
  const line = spread.replaceAll(/\n\s*/g, " ");
  return line.length <= ONE_LINE ? line : spread;
}

/** What a text says as JSON; undefined: it is none, or was cut off. @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {boolean} shown */
function showKeypad(shown) {
  const used = keypad.contains(document.activeElement);
  keypad.hidden = !shown;
  if (used) keypadButton.focus();
  keypadButton.setAttribute("aria-expanded", String(shown));
}

/** @param {number} now */
function frame(now) {
  if (!live || live.ended) return;
  requestAnimationFrame(frame);
  const waits = asking();
  const you = live.microphoneLevel;
  const agent = live.agentLevel;
  ribbon.push(now, { agent, you, asking: waits });
  [...level.children].forEach((bar, index) => bar.classList.toggle("on", you * BARS > index + 0.5));
  level.setAttribute("aria-valuenow", String(Math.round(you * 100)));
  say(doing, !live.hasMicrophone ? "Your microphone is gone" : waits ? "Waiting for your answer" : agent > 0.35 ? "The agent is speaking" : "Listening to you");
  doing.classList.toggle("waits", waits);
  const seconds = Math.floor((now - since) / 1000);
  say(clock, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  for (const card of cards.values()) if (card.open) card.tick(live.remaining(card.request));
  for (const picker of pickers) if (picker.open) picker.tick(live.remaining(picker.use));
}

/**
 * @param {HTMLElement} where
 * @param {string} words
 */
function say(where, words) {
  if (where.textContent !== words) where.textContent = words;
}
