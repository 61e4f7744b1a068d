// @ts-check
/**
 * The last seconds of the call as a picture: the agent's voice above the line, the caller's below it, and amber for as
 * long as a question waits for a person.
 */

const SECONDS = 24;
const PER_SECOND = 12;
const HIDDEN_MS = 500;
const ASKING = "Asking you";

/** @typedef {{ agent: number, you: number, asking: boolean }} Sample */

/** Who speaks when in a call like any other, in seconds: shown before there is one. */
const EXAMPLE = [
  { who: "agent", from: 2.2, to: 4.6 },
  { who: "you", from: 5.4, to: 9.2 },
  { who: "agent", from: 10, to: 12.4 },
  { who: "asking", from: 12.6, to: 17 },
  { who: "agent", from: 17.4, to: 20.4 },
  { who: "you", from: 21.2, to: 22.4 },
];

export class Ribbon {
  /** @type {Sample[]} */
  #samples = [];
  #next = 0;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  }

  clear() {
    this.#samples = [];
    this.#next = 0;
  }

  /** Show how a call goes: they talk, it stops and asks, they talk on. */
  example() {
    this.#samples = Array.from({ length: SECONDS * PER_SECOND }, (_, index) => {
      const at = index / PER_SECOND;
      const now = EXAMPLE.find(({ from, to }) => at >= from && at < to);
      const edge = now ? Math.sin((Math.PI * (at - now.from)) / (now.to - now.from)) ** 0.4 : 0;
      const voice = edge * (0.62 + 0.24 * Math.sin(at * 8.3) + 0.14 * Math.sin(at * 3.1 + 1));
      return {
        agent: now?.who === "agent" ? voice : 0,
        you: now?.who === "you" ? voice : 0,
        asking: now?.who === "asking",
      };
    });
    this.#draw(0);
  }

  /**
   * Take a sample of the levels (0 to 1) when one is due, and draw.
   *
   * @param {number} now  Milliseconds of the page's clock.
   * @param {Sample} sample
   */
  push(now, sample) {
    if (this.#next === 0) this.#next = now;
    // Of the time that the page was hidden nothing is known.
    for (; now - this.#next > HIDDEN_MS; this.#next += 1000 / PER_SECOND) this.#samples.push({ agent: 0, you: 0, asking: sample.asking });
    for (; this.#next <= now; this.#next += 1000 / PER_SECOND) this.#samples.push(sample);
    this.#samples.splice(0, this.#samples.length - SECONDS * PER_SECOND);
    this.#draw(1 - (this.#next - now) / (1000 / PER_SECOND));
  }

  /** @param {number} ahead  How much of the next sample's time has passed, 0 to 1: the picture glides. */
  #draw(ahead) {
    const { canvas, context } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);

    const colour = colours(canvas);
    const step = width / (SECONDS * PER_SECOND);
    const right = width - ahead * step;
    const middle = height / 2;
    const x = (/** @type {number} */ index) => right - (this.#samples.length - index) * step;

    this.#bands(x, step, height, colour);
    context.fillStyle = colour.line;
    context.fillRect(0, middle - 0.5, width, 1);
    const bar = Math.max(1.5, step * 0.62);
    this.#samples.forEach(({ agent, you }, index) => {
      stroke(context, colour.agent, x(index), middle - 2, -(agent ** 1.4) * (middle - 6), bar);
      stroke(context, colour.you, x(index), middle + 2, you ** 1.4 * (middle - 6), bar);
    });
    fade(context, width, height);
  }

  /**
   * @param {(index: number) => number} x
   * @param {number} step
   * @param {number} height
   * @param {{ ask: string, askInk: string }} colour
   */
  #bands(x, step, height, colour) {
    const { context } = this;
    for (let from = 0; from < this.#samples.length; from++) {
      if (!this.#samples[from].asking) continue;
      let to = from;
      while (to + 1 < this.#samples.length && this.#samples[to + 1].asking) to++;
      const wide = x(to) - x(from) + step;
      context.fillStyle = colour.ask;
      context.globalAlpha = 0.15;
      context.beginPath();
      context.roundRect(x(from), 0, wide, height, 8);
      context.fill();
      context.globalAlpha = 1;
      context.font = `550 12px ${getComputedStyle(this.canvas).fontFamily}`;
      context.fillStyle = colour.askInk;
      if (wide > context.measureText(ASKING).width + 24) context.fillText(ASKING, x(from) + 12, height - 12);
      from = to;
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} x
 * @param {number} y
 * @param {number} length
 * @param {number} thickness
 */
function stroke(context, colour, x, y, length, thickness) {
  if (Math.abs(length) < 1) return;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(x, Math.min(y, y + length), thickness, Math.abs(length), thickness / 2);
  context.fill();
}

/** What is old fades out on the left.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} width
 * @param {number} height
 */
function fade(context, width, height) {
  const gradient = context.createLinearGradient(0, 0, 180, 0);
  gradient.addColorStop(0.3, "rgb(0 0 0 / 1)");
  gradient.addColorStop(1, "rgb(0 0 0 / 0)");
  context.globalCompositeOperation = "destination-out";
  context.fillStyle = gradient;
  context.fillRect(0, 0, Math.min(180, width), height);
  context.globalCompositeOperation = "source-over";
}

/** @param {Element} element */
function colours(element) {
  const style = getComputedStyle(element);
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return { agent: of("--agent"), you: of("--you"), ask: of("--ask"), askInk: of("--ask-ink"), line: of("--line") };
}
