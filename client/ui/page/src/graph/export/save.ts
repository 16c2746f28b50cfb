/** A name for a file: letters, digits, dots and dashes only, because a name may come from the daemon. */
export function fileName(parts: readonly string[], ending: string): string {
  const clean = parts.map((part) => part.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "")).filter((part) => part !== "");
  return `${clean.join("-").slice(0, 80) || "graph"}.${ending}`;
}

/** Gives text to the person as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
