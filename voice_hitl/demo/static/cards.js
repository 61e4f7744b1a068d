// @ts-check
/**
 * A request to a person as a card: one for every kind of question, from `inProgress` to `complete`.
 *
 * @typedef {import("../../static/voice-hitl.js").Request} Request
 * @typedef {{ action: string, [member: string]: any }} Wire
 * @typedef {{ answer: (wire: Wire) => Promise<unknown>, decline: () => Promise<unknown> }} Give
 */

import { element as h, svg } from "./element.js";
import { headline } from "./fields.js";
import { CLOCK, CROSS, TICK } from "./marks.js";
import { answering } from "./send.js";

const HURRY_MS = 10_000;

const ENDS = /** @type {Record<string, { tone: string, path: string, text: string }>} */ ({
  refused: { tone: "bad", path: CROSS, text: "Declined" },
  blocked: { tone: "bad", path: CROSS, text: "Blocked by the agent's rules" },
  timed_out: { tone: "none", path: CLOCK, text: "Nobody answered in time" },
  unanswered: { tone: "none", path: CLOCK, text: "Nobody could be asked" },
  withdrawn: { tone: "none", path: CROSS, text: "No longer needed" },
});

const VIA = /** @type {Record<string, string>} */ ({
  card: "on the card",
  voice: "by voice",
  key: "on the keypad",
  console: "by an operator",
  api: "by the application",
});

export class Card {
  /**
   * @param {Request} request
   * @param {Give} give
   */
  constructor(request, give) {
    this.request = request;
    this.give = give;
    this.element = h("article", { class: "card", tabindex: "-1", "aria-label": "A question for you" });
    /** Milliseconds it had when it was first counted. @type {number | null} */
    this.total = null;
    this.#draw();
  }

  /** Whether it can be answered now. */
  get open() {
    return this.request.status === "executing";
  }

  /** The question in words, for a screen reader. */
  get words() {
    return words(this.request);
  }

  /** @param {Request} request */
  show(request) {
    const before = this.request.status;
    this.request = request;
    // What a person has typed stays: only another state draws the card again.
    if (before !== request.status) this.#draw();
    else this.#showAloud();
  }

  /** A question that is asked aloud, too, may be answered there. */
  #showAloud() {
    const hint = this.element.querySelector(".aloud");
    if (hint instanceof HTMLElement) hint.hidden = !this.request.asked_by?.includes("voice");
  }

  #draw() {
    const { element, request } = this;
    const used = element.contains(document.activeElement);
    element.dataset.status = request.status;
    if (request.status === "complete") element.replaceChildren(ended(request));
    else if (request.status === "inProgress") element.replaceChildren(head(request), h("div", { class: "card-body" }));
    else element.replaceChildren(head(request), this.#body(request));
    this.#showAloud();
    if (used) element.focus({ preventScroll: true });
  }

  /** What was answered where it did not come from this page: aloud, or by key. @param {Wire} answer */
  told(answer) {
    if (this.request.answer || this.request.end !== "answered") return;
    this.request = { ...this.request, answer };
    this.#draw();
  }

  /** @param {number | null} left  Milliseconds until it expires. */
  tick(left) {
    if (left === null) return;
    this.total ??= left;
    showLeft(this.element, left, this.total);
  }

  /** @param {Request} request */
  #body(request) {
    const { form, give } = answering(request, "card-body", (wire) => this.give.answer(wire));
    const decides = ["confirm", "approval"].includes(request.question.kind);
    form.append(...aloud(request), ...(decides ? [] : [decline(() => give(() => this.give.decline()))]));
    return form;
  }
}

/** @param {Request} request */
function words({ question }) {
  return question ? headline(question) : "A question is on its way";
}

/** @param {Request} request */
function head(request) {
  const writing = request.status === "inProgress";
  return h("header", { class: "card-head" }, [
    h("div", { class: "why" }, [writing ? "The agent is writing a question" : "The agent needs your answer", h("code", {}, [request.tool])]),
    countdown(),
  ]);
}

/** A ring that empties, hidden until `showLeft` first says of how much. */
export function countdown() {
  const ring = svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, [
    svg("circle", { cx: "24", cy: "24", r: "21" }),
    svg("circle", { cx: "24", cy: "24", r: "21", pathLength: "1" }),
  ]);
  return h("div", { class: "countdown", role: "timer", "aria-label": "Seconds left", hidden: "" }, [ring, h("span")]);
}

/**
 * @param {HTMLElement} card
 * @param {number} left  Milliseconds until it expires.
 * @param {number} total  Milliseconds that it had.
 */
export function showLeft(card, left, total) {
  const shown = card.querySelector(".countdown");
  if (!(shown instanceof HTMLElement)) return;
  shown.hidden = false;
  shown.style.setProperty("--left", String(left / total));
  shown.classList.toggle("hurry", left < HURRY_MS);
  const seconds = String(Math.ceil(left / 1000));
  const text = shown.querySelector("span");
  if (text && text.textContent !== seconds) text.textContent = seconds;
}

/** @param {Request} request */
function aloud({ question }) {
  const keys = question.kind === "confirm" ? ", or press 1 for yes, 2 for no" : "";
  return [h("p", { class: "hint aloud", hidden: "" }, [`Or just say it${keys}.`])];
}

/** @param {() => void} onDecline */
function decline(onDecline) {
  const button = h("button", { class: "decline", type: "button" }, ["I’d rather not answer"]);
  button.addEventListener("click", onDecline);
  return button;
}

/** @param {Request} request */
function ended(request) {
  const how = request.end === "answered" ? answered(request) : (ENDS[request.end ?? ""] ?? ENDS.withdrawn);
  const decided = request.end === "answered" || request.end === "refused";
  const via = decided && request.via ? VIA[request.via] : "";
  const title = [how.text, via].filter(Boolean).join(" ");
  const asked = request.question ? headline(request.question) : `${request.tool} asked nothing after all.`;
  return over(how, title, [asked, ...(request.reason ? [`“${request.reason}”`] : [])]);
}

/**
 * What a card that is over shows.
 *
 * @param {{ tone: string, path: string }} how
 * @param {string} title
 * @param {string[]} words
 */
export function over({ tone, path }, title, words) {
  return h("div", { class: `done ${tone}` }, [
    svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [svg("path", { d: path })]),
    h("strong", {}, [title]),
    ...words.map((line) => h("p", {}, [line])),
  ]);
}

/** @param {Request} request */
function answered({ answer, question }) {
  const yesOrNo = question?.kind === "confirm" && answer;
  const no = yesOrNo && answer.value === false;
  const rejected = answer?.action === "reject";
  const value = yesOrNo ? (no ? "You said no" : "You said yes") : said(answer);
  return { tone: no || rejected ? "bad" : "good", path: no || rejected ? CROSS : TICK, text: value };
}

/** @param {Wire | undefined} answer */
function said(answer) {
  if (!answer) return "Answered";
  if (answer.action === "approve") return "Approved";
  if (answer.action === "reject") return "Rejected";
  const values = answer.answers ? Object.values(answer.answers).flat() : [answer.value].flat();
  return `“${[...values, answer.response].filter((value) => value != null).join(", ")}”`;
}
