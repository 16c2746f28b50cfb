// Builds the page with the runs of esbuild in build.steps; `--tests` builds the tests and the development server instead.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = dirname(fileURLToPath(import.meta.url));

/** The binary itself, because the script of the package needs an install step that is not always allowed. */
function esbuildBinary() {
  const own = join(folder, "node_modules", "@esbuild", `${process.platform}-${process.arch}`, "bin", "esbuild");
  return existsSync(own) ? own : join(folder, "node_modules", ".bin", "esbuild");
}

function runEsbuild(args) {
  execFileSync(esbuildBinary(), [...args, "--log-level=warning"], { cwd: folder, stdio: "inherit" });
}

/** The arguments of each run. */
export function readSteps(text) {
  const kept = text.split("\n").filter((line) => !line.startsWith("#"));
  const paragraphs = kept.join("\n").split(/\n\s*\n/);
  return paragraphs.map((paragraph) => paragraph.split("\n").filter((line) => line !== "")).filter((step) => step.length > 0);
}

if (process.argv.includes("--tests")) {
  for (const part of ["test/unit", "test/browser", "dev"]) rmSync(join(folder, "build", part), { recursive: true, force: true });
  const flags = ["--bundle", "--platform=node", "--format=esm", "--target=node20", "--packages=external", "--jsx=automatic"];
  const more = ["--jsx-import-source=preact", "--loader:.txt=text", "--loader:.css=text", "--outbase=.", "--outdir=build"];
  runEsbuild(["test/unit/*.test.ts", "test/browser/*.test.ts", "dev/main.ts", "dev/shots.ts", ...flags, ...more]);
} else {
  for (const step of readSteps(readFileSync(join(folder, "build.steps"), "utf8"))) runEsbuild(step);
  const page = join(folder, "build", "page.html");
  const size = statSync(page).size;
  console.log(`build/page.html: ${size} bytes, ${gzipSync(readFileSync(page), { level: 9 }).length} with gzip`);
}
