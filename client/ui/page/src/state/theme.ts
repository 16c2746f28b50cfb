import { computed, effect, signal } from "@preact/signals";

export type Choice = "system" | "light" | "dark";

const KEY = "sdl.theme";
const query = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
const systemIsDark = signal(query?.matches ?? false);

function storedChoice(): Choice {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    // Storage may be forbidden; the system's choice holds then.
    return "system";
  }
}

/** What the person chose. */
export const choice = signal<Choice>(storedChoice());

/** Whether the page is dark now. */
export const isDark = computed(() => (choice.value === "system" ? systemIsDark.value : choice.value === "dark"));

/** Goes on to the next choice: system, light, dark. */
export function nextTheme(): void {
  const order: Choice[] = ["system", "light", "dark"];
  choice.value = order[(order.indexOf(choice.value) + 1) % order.length] ?? "system";
  try {
    if (choice.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice.value);
  } catch {
    // The choice holds for this visit.
  }
}

/** Keeps the document's theme at the choice. */
export function followTheme(): void {
  query?.addEventListener("change", (event) => {
    systemIsDark.value = event.matches;
  });
  effect(() => {
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  });
}

/** The value of a colour variable of the style sheet, for canvases. */
export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
