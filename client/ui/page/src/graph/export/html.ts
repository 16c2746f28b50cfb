import { visibleText } from "../../text/visible";
import type { Drawing } from "../drawing";
import type { Palette } from "../palette";
import { drawSvg } from "./svg";

/** Rows of the table below a drawing, at most. */
const MAX_ROWS = 5_000;

/** The style of the file. Colours come from the theme of the page, not from the daemon. */
function sheet(palette: Palette): string {
  return [
    `body{margin:16px;font:13px/20px system-ui,sans-serif;background:${palette.ground};color:${palette.text}}`,
    "svg{display:block;width:100%;height:auto;max-height:85vh}",
    "table{border-collapse:collapse;margin-top:16px}",
    `td,th{padding:2px 12px 2px 0;text-align:left;border-bottom:1px solid ${palette.disc}}`,
    `p,.quiet{color:${palette.quiet}}`,
  ].join("\n");
}

/** The drawing and its symbols as one file that needs nothing else and runs nothing. */
export function htmlFile(drawing: Drawing, palette: Palette, title: string, note: string): string {
  const page = document.implementation.createHTMLDocument(visibleText(title));
  const put = (parent: Element, name: string, text?: string): Element => {
    const element = page.createElement(name);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const meta = put(page.head, "meta");
  meta.setAttribute("charset", "utf-8");
  const rules = put(page.head, "meta");
  rules.setAttribute("http-equiv", "Content-Security-Policy");
  rules.setAttribute("content", "default-src 'none'; style-src 'unsafe-inline'");
  put(page.head, "style", sheet(palette));
  put(page.body, "h1", visibleText(title));
  put(page.body, "p", visibleText(note));
  page.body.append(drawSvg(page, drawing, palette, title));
  const table = put(page.body, "table");
  const head = put(put(table, "thead"), "tr");
  for (const name of ["symbol", "kind", "place"]) put(head, "th", name);
  const body = put(table, "tbody");
  for (const node of drawing.nodes.slice(0, MAX_ROWS)) {
    const row = put(body, "tr");
    for (const text of [node.name, node.kind, `${node.file}:${node.line}`]) put(row, "td", visibleText(text));
  }
  if (drawing.nodes.length > MAX_ROWS) put(page.body, "p", `and ${drawing.nodes.length - MAX_ROWS} more symbols`);
  return `<!doctype html>\n${new XMLSerializer().serializeToString(page.documentElement)}`;
}
