import { existsSync } from "node:fs";

/** The browser: the one that SDL_CHROMIUM names, or the system's. */
export function browserPath(): string {
  const places = [process.env["SDL_CHROMIUM"] ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
  const found = places.find((place) => place !== "" && existsSync(place));
  if (!found) throw new Error("no Chromium found; install it (Debian: apt-get install chromium) or name it in SDL_CHROMIUM");
  return found;
}

/** Draws in software where there is no graphics card. Root, as in containers, can't use the browser's own sandbox. */
export function browserArguments(): string[] {
  const drawing = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  return process.getuid?.() === 0 ? [...drawing, "--no-sandbox"] : drawing;
}
