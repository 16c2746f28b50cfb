import { useState } from "preact/hooks";

/** A button that copies text, and says when it did. */
export function Copy({ text, name }: { text: () => string; name: string }) {
  const [said, setSaid] = useState("");
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("The browser does not allow it"),
    );
  };
  return (
    <button type="button" onClick={copy} onBlur={() => setSaid("")}>
      <span aria-live="polite">{said === "" ? name : said}</span>
    </button>
  );
}
