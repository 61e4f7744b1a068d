// @ts-check
/**
 * The page's own tool: the free times of a day, of which the caller chooses one, or none.
 *
 * @typedef {import("../../static/voice-hitl.js").ToolUse} ToolUse
 */

import { countdown, over, showLeft } from "./cards.js";
import { element as h } from "./element.js";
import { CLOCK, CROSS, TICK } from "./marks.js";

const FIRST = 17.5;
const LAST = 21.5;

/** What the model is told of it. */
export const PICK_TIME = {
  name: "pick_time",
  description:
    "Show the caller the times at which a table can be had, to choose one. " +
    'Returns {"time": "7:30 pm"}, or {"cancelled": true} where they closed it.',
  parameters: {
    type: "object",
    properties: { day: { type: "string", minLength: 1 }, party_size: { type: "integer", minimum: 1 } },
    required: ["day"],
    additionalProperties: false,
  },
};

const NOT_NEEDED = { tone: "none", path: CROSS, text: "No longer needed" };
const ENDS = /** @type {Record<string, typeof NOT_NEEDED>} */ ({
  blocked: { tone: "bad", path: CROSS, text: "Blocked by the agent’s rules" },
  timed_out: { tone: "none", path: CLOCK, text: "No time was chosen in time" },
});

export class Picker {
  /** Milliseconds it had when it was first counted. @type {number | null} */
  total = null;

  /**
   * @param {{ day: string, party_size?: number }} offer
   * @param {ToolUse} use
   */
  constructor({ day, party_size: party }, use) {
    this.use = use;
    this.prompt = `What time ${day}?`;
    this.element = h("article", { class: "card", tabindex: "-1", "aria-label": "Times to choose from" });
    this.element.dataset.status = "executing";
    /** Resolves to what the model gets. */
    this.chosen = new Promise((resolve) => this.#draw(party, resolve));
    // What was chosen here may have come too late: how it ended is what the session says.
    use.signal.addEventListener("abort", () => use.end !== "answered" && this.#over(ENDS[use.end ?? ""] ?? NOT_NEEDED));
  }

  /** Whether a time can be chosen now. */
  get open() {
    return this.element.dataset.status === "executing";
  }

  /** The question in words, for a screen reader. */
  get words() {
    return this.prompt;
  }

  /** @param {number | null} left  Milliseconds until it is given up. */
  tick(left) {
    this.total ??= left;
    if (left !== null && this.total) showLeft(this.element, left, this.total);
  }

  /**
   * @param {number | undefined} party
   * @param {(result: object) => void} resolve
   */
  #draw(party, resolve) {
    const choose = h("button", { class: "primary", type: "button", disabled: "" }, ["Choose a time"]);
    const cancel = h("button", { class: "plain", type: "button" }, ["Cancel"]);
    const times = h("div", { class: "times", role: "radiogroup", "aria-label": this.prompt }, timesOfTheEvening(`time of ${this.use.pending_id}`));
    let time = "";
    times.addEventListener("change", ({ target }) => {
      time = /** @type {HTMLInputElement} */ (target).value;
      choose.textContent = `Choose ${time}`;
      choose.disabled = false;
    });
    choose.addEventListener("click", () => {
      resolve({ time });
      this.#over({ tone: "good", path: TICK, text: `You chose ${time}` });
    });
    cancel.addEventListener("click", () => {
      resolve({ cancelled: true });
      this.#over({ tone: "none", path: CROSS, text: "You chose none" });
    });
    this.element.append(
      h("header", { class: "card-head" }, [
        h("div", { class: "why" }, ["The agent offers times", h("code", {}, [PICK_TIME.name])]),
        countdown(),
      ]),
      h("div", { class: "card-body" }, [
        h("h3", { class: "prompt" }, [this.prompt]),
        h("p", { class: "hint" }, [`${party ? `For ${party} people. ` : ""}Or just say a time.`]),
        times,
        h("div", { class: "actions" }, [choose, cancel]),
      ]),
    );
  }

  /** @param {typeof NOT_NEEDED} how */
  #over(how) {
    this.element.dataset.status = "complete";
    this.element.replaceChildren(over(how, how.text, [this.prompt]));
  }
}

/** @param {string} name @returns {HTMLElement[]} */
function timesOfTheEvening(name) {
  return Array.from({ length: (LAST - FIRST) * 2 + 1 }, (_, index) => {
    const hour = FIRST + index / 2;
    const time = `${Math.floor(hour) - 12}:${hour % 1 ? "30" : "00"} pm`;
    return h("label", { class: "time" }, [h("input", { type: "radio", name, value: time, class: "unseen" }), time]);
  });
}
