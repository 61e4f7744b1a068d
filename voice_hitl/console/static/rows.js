// @ts-check
/**
 * The two lists: what is open, and what has settled.
 *
 * @typedef {import("./api.js").Shown} Shown
 */

import { element as h, svg } from "./element.js";
import { headline } from "./fields.js";
import { CLOCK, CROSS, TICK } from "./marks.js";
import { ago, clock, ending, kind, said, time, tone, where } from "./words.js";

const TONES = /** @type {Record<string, string>} */ ({ good: TICK, bad: CROSS, none: CLOCK });
const HURRY_MS = 15_000;

/** @param {Shown} request @param {string} me */
export function openRow(request, me) {
  const { question, taken } = request;
  const row = button(request, [
    h("span", { class: "top" }, [
      h("span", { class: "kind" }, [kind(request)]),
      ...(question.risk === "high" ? [h("span", { class: "risk" }, ["High risk"])] : []),
      ...(taken ? [h("span", { class: "taken" }, [taken.by === me ? "You are on it" : `${taken.by} is on it`])] : []),
      h("span", { class: "left", "data-expires": request.expires_at ?? "" }),
    ]),
    h("span", { class: "asks" }, [headline(request.question)]),
    h("span", { class: "from" }, [where(request), h("span", { class: "since", "data-since": request.created_at })]),
    h("span", { class: "meter", "aria-hidden": "true" }, [h("i", {})]),
  ]);
  row.classList.toggle("theirs", Boolean(taken && taken.by !== me));
  return row;
}

/** @param {Shown} request @param {string} me */
export function settledRow(request, me) {
  const words = [said(request), request.outcome?.reason].filter(Boolean).join(", ");
  return button(request, [
    mark(tone(request)),
    h("span", { class: "asks" }, [headline(request.question)]),
    h("span", { class: "from" }, [ending(request, me), ...(words ? [`: ${words}`] : [])]),
    h("span", { class: "when" }, [request.outcome ? time(request.outcome.at) : ""]),
  ]);
}

/** @param {string} how */
export function mark(how) {
  return h("span", { class: `mark-${how} ends`, "aria-hidden": "true" }, [
    svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: TONES[how] })]),
  ]);
}

/**
 * Time passes.
 *
 * @param {Element} within
 * @param {number} now  Milliseconds of the server's clock.
 */
export function tick(within, now) {
  for (const since of within.querySelectorAll("[data-since]")) {
    const text = `${ago(since.getAttribute("data-since") ?? "", now)} ago`;
    if (since.textContent !== text) since.textContent = text;
  }
  for (const left of within.querySelectorAll("[data-expires]")) {
    const expires = left.getAttribute("data-expires");
    if (!expires) continue;
    const ms = Date.parse(expires) - now;
    const text = clock(ms);
    if (left.textContent !== text) left.textContent = text;
    const row = left.closest("[data-created]");
    if (!(row instanceof HTMLElement)) continue;
    const whole = Date.parse(expires) - Date.parse(row.dataset.created ?? expires);
    row.style.setProperty("--left", String(Math.min(1, Math.max(0, ms / whole))));
    row.classList.toggle("hurry", ms < HURRY_MS);
  }
}

/** @param {Shown} request @param {(Node | string)[]} children */
function button(request, children) {
  const made = h("button", { type: "button", class: "row", "data-id": request.id, "data-created": request.created_at }, children);
  return made;
}
