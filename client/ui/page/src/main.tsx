import { render } from "preact";
import sheet from "../build/page.css";
import { App } from "./App";
import { followDaemon } from "./state/live";
import { followAddress } from "./state/route";
import { followTheme } from "./state/theme";

const styles = new CSSStyleSheet();
styles.replaceSync(sheet);
document.adoptedStyleSheets = [styles];

followTheme();
followAddress();
const leaving = new AbortController();
addEventListener("pagehide", (event) => {
  if (!event.persisted) leaving.abort();
});
// Before the first drawing, so that the answers are on their way meanwhile.
followDaemon(leaving.signal);
const page = document.getElementById("page");
if (page) render(<App />, page);
