// The colours, before anything is drawn: the page itself is loaded later, and would show
// itself in the wrong ones for a moment. Scripts in the HTML are not allowed.

import { kept } from "./keep";

const chosen = kept("theme");
const dark = chosen === "light" || chosen === "dark" ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = dark ? "dark" : "light";
