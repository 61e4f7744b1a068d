// @ts-check
/**
 * One request: what is asked, for whom, what was said, and the form that answers it.
 *
 * @typedef {import("./api.js").Shown} Shown
 * @typedef {{ me: () => string, answer: (wire: any) => Promise<unknown>, reject: (reason: string) => Promise<unknown>,
 *   take: () => void, release: () => void }} Does
 */

import { element as h } from "./element.js";
import { headline, reasonField } from "./fields.js";
import { mark } from "./rows.js";
import { answering } from "./send.js";
import { same } from "./values.js";
import { ending, kind, said, time, tone, via } from "./words.js";

export class Detail {
  /** @param {Shown} request @param {Does} does */
  constructor(request, does) {
    this.request = request;
    this.does = does;
    this.element = h("article", { class: "request", "data-id": request.id, "data-created": request.created_at });
    this.head = h("header", { class: "request-head" });
    this.said = h("ol", { class: "said", "aria-label": "What was said last" });
    this.body = h("div", { class: "body" });
    this.element.append(this.head, h("section", { "aria-label": "The call" }, [this.said]), this.body);
    this.#draw();
    this.#drawHead();
    this.#drawSaid();
  }

  /** @param {Shown} request */
  show(request) {
    const { transcript: said, ...was } = this.request;
    const { transcript: says, ...is } = request;
    this.request = request;
    // Somebody may be about to press what stands there: what is as it was stays.
    if (!same(was, is)) this.#drawHead();
    if (!same(said, says)) this.#drawSaid();
    // What a person has typed stays: only the end draws the form again, or that it is put to others.
    if (Boolean(was.outcome) !== Boolean(is.outcome)) this.#draw();
  }

  /** The answer in one key: the button that gives it, or the first thing to fill in. Twice gives it. */
  affirm() {
    const form = this.body.querySelector("form");
    if (!form) return;
    const first = form.querySelector(".field:not(.reason), .option input");
    const primary = form.querySelector(".primary");
    const target = this.#decides() || !(first instanceof HTMLElement) ? primary : first;
    if (!(target instanceof HTMLElement)) return;
    if (target === primary && document.activeElement === target) target.click();
    else target.focus();
    target.scrollIntoView({ block: "nearest" });
  }

  /** To the refusal: a no, a reason to reject, a reason to decline. */
  refuse() {
    const target = this.body.querySelector(this.request.question.kind === "confirm" ? ".plain" : ".reason");
    if (!(target instanceof HTMLElement)) return;
    if (target.matches(".plain") && document.activeElement === target) target.click();
    else target.focus();
    target.scrollIntoView({ block: "nearest" });
  }

  /** Whether the keyboard is in it, which would be lost. */
  get touched() {
    return this.element.contains(document.activeElement);
  }

  #decides() {
    return ["confirm", "approval"].includes(this.request.question.kind);
  }

  #drawHead() {
    const { request } = this;
    const me = this.does.me();
    const facts = /** @type {[string, string][]} */ ([
      ["Agent", request.channel],
      ["Room", request.room],
      ["On the line", request.caller],
      ["Tool", request.tool],
      ...Object.entries(request.answered_so_far).map(([asked, answer]) => [`Answered: ${asked}`, [answer].flat().join(", ")]),
    ]);
    const about = h("div", { class: "about" }, [
      h(
        "dl",
        { class: "facts" },
        facts.filter(([, fact]) => fact).map(([name, fact]) => h("div", {}, [h("dt", {}, [name]), h("dd", {}, [fact])])),
      ),
      ...(request.outcome ? [] : [this.#taking(me)]),
    ]);
    const used = this.head.contains(document.activeElement);
    this.head.replaceChildren(
      h("div", { class: "top" }, [
        h("span", { class: "kind" }, [kind(request)]),
        h("span", { class: "since", "data-since": request.created_at }),
        ...(request.outcome ? [] : [h("span", { class: "left", role: "timer", "aria-label": "Time left", "data-expires": request.expires_at ?? "" })]),
      ]),
      about,
    );
    if (used) this.head.querySelector("button")?.focus({ preventScroll: true });
  }

  /** @param {string} me */
  #taking(me) {
    const { taken } = this.request;
    const mine = taken?.by === me;
    const words = mine ? "You are on it" : taken ? `${taken.by} is on it` : "";
    const button = h("button", { class: "quiet", type: "button" }, [mine ? "Let go" : "I’m on it"]);
    button.addEventListener("click", mine ? this.does.release : this.does.take);
    return h("div", { class: "taking" }, [h("span", { class: taken ? "taken" : "" }, [words]), ...(taken && !mine ? [] : [button])]);
  }

  #drawSaid() {
    const lines = this.request.transcript ?? [];
    this.said.parentElement?.toggleAttribute("hidden", lines.length === 0);
    this.said.replaceChildren(
      ...turns(lines).map(({ role, text, at }) =>
        h("li", { class: role }, [
          h("span", { class: "speaker" }, [role === "user" ? "Caller" : "Agent"]),
          h("span", { class: "words" }, [text]),
          h("time", { datetime: at }, [time(at)]),
        ]),
      ),
    );
  }

  #draw() {
    this.body.replaceChildren(this.request.outcome ? this.#ended() : this.#form());
  }

  #form() {
    const { form, give } = answering(/** @type {any} */ (this.request), "answer", (wire) => this.does.answer(wire));
    if (!this.#decides()) form.append(this.#decline(give));
    for (const sign of ["focusin", "input"]) form.addEventListener(sign, () => this.does.take());
    return form;
  }

  /** @param {(what: () => Promise<unknown>) => void} give */
  #decline(give) {
    const refuse = () => give(() => this.does.reject(reason.value.trim()));
    const reason = reasonField("Or refuse to answer: the reason", refuse);
    const button = h("button", { class: "plain", type: "button" }, ["Refuse"]);
    button.addEventListener("click", refuse);
    return h("div", { class: "refusing" }, [reason, button]);
  }

  #ended() {
    const { request } = this;
    const { outcome } = request;
    if (!outcome) return h("div");
    const words = [said(request), outcome.reason].filter(Boolean);
    return h("div", { class: `ended ${tone(request)}`, tabindex: "-1" }, [
      h("p", { class: "prompt" }, [headline(request.question)]),
      h("div", { class: "verdict" }, [
        mark(tone(request)),
        h("strong", {}, [ending(request, this.does.me())]),
        h("span", {}, [[via(outcome), `at ${time(outcome.at)}`].filter(Boolean).join(", ")]),
        ...words.map((line) => h("blockquote", {}, [line ?? ""])),
      ]),
    ]);
  }
}

/**
 * Who said what in turn: an agent says a sentence at a time.
 *
 * @param {import("./api.js").Line[]} lines
 */
function turns(lines) {
  const turns = /** @type {import("./api.js").Line[]} */ ([]);
  for (const { role, text, at } of lines) {
    const words = text === "..." ? "(confidential)" : text;
    const before = turns.at(-1);
    if (before?.role === role) before.text += ` ${words}`;
    else turns.push({ role, text: words, at });
  }
  return turns;
}
