// @ts-check
/**
 * The last seconds of the call as a picture: the agent's voice above the line, the caller's below it, and amber for as
 * long as a question waits for a person.
 */

const SECONDS = 24;
const PER_SECOND = 24;

/** @typedef {{ agent: number, you: number, asking: boolean }} Sample */

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

  /**
   * Take a sample of the levels (0 to 1) when one is due, and draw.
   *
   * @param {number} now  Milliseconds of the page's clock.
   * @param {Sample} sample
   */
  push(now, sample) {
    if (this.#next === 0) this.#next = now;
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

    this.#bands(x, step, height, colour.ask);
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
   * @param {string} colour
   */
  #bands(x, step, height, colour) {
    const { context } = this;
    for (let from = 0; from < this.#samples.length; from++) {
      if (!this.#samples[from].asking) continue;
      let to = from;
      while (to + 1 < this.#samples.length && this.#samples[to + 1].asking) to++;
      context.fillStyle = colour;
      context.globalAlpha = 0.15;
      context.beginPath();
      context.roundRect(x(from), 0, x(to) - x(from) + step, height, 8);
      context.fill();
      context.globalAlpha = 1;
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
  return { agent: of("--agent"), you: of("--you"), ask: of("--ask"), line: of("--line") };
}
