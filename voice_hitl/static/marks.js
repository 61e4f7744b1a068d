// @ts-check
/** How a request ended, as a line in a box of 24 by 24. */

export const TICK = "M5 12.5l4.5 4.5L19 7.5";
export const CROSS = "M6 6l12 12M18 6L6 18";
export const CLOCK = "M12 6v6.5l4 2.5";
