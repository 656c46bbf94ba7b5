/** The moment at which the goldens were rendered, for `strftime_now`: the one in reference/render.py, in local time. */
export const NOW = new Date(2026, 6, 4, 15, 4, 5, 678);
