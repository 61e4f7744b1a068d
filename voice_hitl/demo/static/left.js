// @ts-check
/** What earlier calls left open: still to be decided on this page, also after the demo was started again. */

/** @typedef {import("../../static/voice-hitl.js").Request} Request */

import { Card, CROSS, over, TICK } from "./cards.js";
import { byId } from "./element.js";

const LOOK_MS = 2000;

/** @typedef {{ pending_id: string, tool: string, call: string }} Named */
/** @typedef {{ open: Request[], ended: (Named & { result: string | null, error: string | null })[] }} Left */

export class LeftOpen {
  #section = byId("left", HTMLElement);
  #list = byId("left-cards", HTMLElement);
  /** @type {Map<string, Card>} */
  #cards = new Map();
  /** What was decided here, and is on its way. @type {Set<string>} */
  #given = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;

  /** @param {(pendingId: string) => void} taken  Is told of a request whose card is here now, and nowhere else. */
  constructor(taken) {
    this.taken = taken;
  }

  /** Look now and again what there is, or cease to. @param {boolean} on */
  watch(on) {
    clearTimeout(this.#next);
    if (on) this.#next = setTimeout(() => this.#look(), 0);
  }

  async #look() {
    const looked = this.#next;
    try {
      const response = await fetch("left");
      if (response.status === 404) return; // nothing outlives this demo
      if (response.ok) this.#show(await response.json());
    } catch {
      // It is being started again: look once more.
    }
    if (looked === this.#next) this.#next = setTimeout(() => this.#look(), LOOK_MS);
  }

  /** @param {Left} left */
  #show({ open, ended }) {
    for (const request of open) {
      const id = request.pending_id ?? "";
      if (this.#cards.has(id)) continue;
      const card = new Card(request, { answer: (wire) => this.#give(id, wire), decline: () => this.#give(id, { action: "decline" }) });
      this.#cards.set(id, card);
      this.#list.append(card.element);
      this.taken(id);
    }
    for (const { pending_id, result, error } of ended) {
      const card = this.#cards.get(pending_id);
      if (card && card.element.dataset.result === undefined && (result !== null || card.request.answer?.action === "approve")) {
        card.element.dataset.result = "told";
        card.element.replaceChildren(outcome(card, result, error));
      }
    }
    for (const [id, card] of this.#cards) {
      if (card.open && !this.#given.has(id) && !open.some((request) => request.pending_id === id)) {
        // Decided on another page, or in another process.
        card.element.remove();
        this.#cards.delete(id);
      }
    }
    this.#section.hidden = this.#cards.size === 0;
  }

  /**
   * @param {string} id
   * @param {{ action: string, [member: string]: any }} wire
   */
  async #give(id, wire) {
    this.#given.add(id);
    try {
      const response = await fetch(`left/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(wire),
      });
      if (!response.ok) throw new Error((await response.json().catch(() => ({}))).why ?? "That did not arrive.");
      this.#decided(id, wire);
    } finally {
      this.#given.delete(id);
    }
  }

  /**
   * @param {string} id
   * @param {{ action: string, [member: string]: any }} wire
   */
  #decided(id, wire) {
    const card = this.#cards.get(id);
    const declined = wire.action === "decline" || wire.action === "reject";
    card?.show({
      ...card.request,
      status: "complete",
      end: declined ? "refused" : "answered",
      via: "card",
      answer: wire,
      reason: wire.reason,
    });
    this.watch(true);
  }
}

/**
 * @param {Card} card
 * @param {string | null} result
 * @param {string | null} error
 */
function outcome(card, result, error) {
  if (result === null) return over({ tone: "bad", path: CROSS }, "Approved, and it failed", [card.words, error ?? ""]);
  return over({ tone: "good", path: TICK }, "Approved, and done", [card.words, inWords(result)]);
}

/** @param {string} result */
function inWords(result) {
  try {
    const { reference } = JSON.parse(result);
    return reference ? `Booked under ${reference}.` : result;
  } catch {
    return result;
  }
}
