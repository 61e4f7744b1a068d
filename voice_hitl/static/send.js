// @ts-check

/**
 * Give what is filled in: nothing can be pressed until it has arrived; what was refused is told, and can be corrected.
 *
 * How a request ended, where the answer came late or second, comes by itself: nothing is told of it here.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement} error  Where it is told.
 * @param {() => Promise<unknown>} give
 */
export async function send(form, error, give) {
  const controls = [...form.querySelectorAll("button, input, textarea, select")];
  for (const control of controls) control.toggleAttribute("disabled", true);
  error.hidden = true;
  try {
    await give();
  } catch (refused) {
    error.textContent = refused instanceof Error ? sentence(refused.message) : "That did not arrive.";
    error.hidden = false;
    for (const control of controls) control.toggleAttribute("disabled", false);
  }
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
